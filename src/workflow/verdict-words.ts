/** The words by which a conclusion written as prose is recognised, in every language of the catalogue. */

/** What a plain "achieved" may consist of beside its verb. Anything else in the sentence makes it no plain statement. */
const AROUND_ACHIEVED = {
  en: "the a an this it goal goals objective objectives target task work job verdict conclusion judgement judgment result state status is are was were has have had been now all every each of checks check checklist items item criteria criterion acceptance conditions condition requirements requirement and fully completely entirely successfully clearly indeed yes true",
  pt: "o a os as este esta isto um uma objetivo objetivos meta metas tarefa trabalho veredito conclusão conclusao resultado estado situação situacao é e está esta estão estao foi foram já ja todo todos toda todas cada de do da dos das item itens critério criterio critérios criterios verificação verificacao verificações verificacoes lista aceitação aceitacao requisito requisitos totalmente completamente plenamente inteiramente claramente sim verdadeiro",
};
const ACHIEVED = {
  en: "achieved reached met passed pass passes satisfied fulfilled accomplished complete completed done",
  pt: "atingido atingida atingidos atingidas alcançado alcancado alcançada alcancada alcançados alcancados cumprido cumprida cumpridos cumpridas concluído concluido concluída concluida concluídos concluidos satisfeito satisfeitos satisfeitas aprovado aprovada aprovados passou passaram",
};
export const PLAIN_WORDS: ReadonlySet<string> = words(...Object.values(AROUND_ACHIEVED), ...Object.values(ACHIEVED));
export const ACHIEVED_WORDS: ReadonlySet<string> = words(...Object.values(ACHIEVED));

/** Chinese is written without blanks: the whole sentence must be made of these. */
export const PLAIN_CHINESE =
  /^(?:结论|判定|结果|状态|目标|任务|工作|本轮|所有|全部|各项|每一?项|检查项?|判定项?|验收|标准|要求|清单|均|都|已经|已|完全|确实|是|为|的|皆|：|:)*(?:达成|通过|完成|满足)(?:了)?$/;

export const NOT_YET =
  /\bnot[ _-]?yet\b|\b(?:not|never|isn't|hasn't(?: been)?|wasn't|haven't been|aren't)\s+(?:been\s+|yet\s+|fully\s+|completely\s+|entirely\s+|all\s+|really\s+)*(?:achieved|reached|met|passed|satisfied|fulfilled|accomplished|complete|completed|done|finished)\b|\b(?:partly|partially)\b(?:\s+\p{L}+)?|\b(?:incomplete|unfinished|failed|fails)\b|\b(?:false|no)\b(?=[\s.!]*$)|\bainda\s+n[ãa]o\b|\bn[ãa]o\s+(?:foi\s+|foram\s+|está\s+|estão\s+|totalmente\s+)*(?:atingid[oa]s?|alcan[çc]ad[oa]s?|cumprid[oa]s?|conclu[íi]d[oa]s?|satisfeit[oa]s?|aprovad[oa]s?|passou|passaram)\b|\bparcialmente\b(?:\s+\p{L}+)?|\b(?:incomplet[oa]|falhou|falharam)\b|未(?:能|曾|完全|全部)?(?:达成|通过|完成|满足)|(?:没有|没|尚未|还没有?|并未|并没有)(?:完全|全部)?(?:达成|通过|完成|满足|达到)|不(?:达成|通过|满足|合格)|部分(?:达成|通过|完成|满足)|尚未/iu;

export const UNREACHABLE =
  /\bunreachable\b|\bunachievable\b|\bimpossible\b|\b(?:cannot|can't|can not|can never|could never|could not|will never)\s+(?:possibly\s+)?be\s+(?:achieved|reached|met|satisfied|fulfilled|completed|done)\b|\binalcan[çc][áa]vel\b|\bimposs[íi]vel\b|\bn[ãa]o\s+(?:pode|podem|há\s+como)\s+(?:ser\s+)?(?:atingid[oa]s?|alcan[çc]ad[oa]s?|atingir|cumprid[oa]s?|cumprir|conclu[íi]d[oa]s?)\b|无法(?:达成|完成|满足|实现|验证)|不可能(?:达成|完成|实现)?|不可达成|达不成|做不到/iu;

/** Turns what follows into its contrary: "not unreachable", "não é impossível", "并非无法达成". */
export const NEGATION_BEFORE =
  /(?:\b(?:not|no longer|isn't|never|hardly)\s+(?:at all\s+)?|\bn[ãa]o\s+(?:é|e|está)?\s*|(?:并非|不是|并不是|不再是?|没有说)\s*)$/iu;

function words(...lists: readonly string[]): ReadonlySet<string> {
  return new Set(lists.flatMap((list) => list.split(" ")));
}
