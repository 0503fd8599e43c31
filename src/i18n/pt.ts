import type { Texts } from "./catalogue.ts";

/** Brazilian Portuguese. */
export const pt: Texts = {
  "step.clarify": "esclarecer",
  "step.goal": "objetivo",
  "step.work": "trabalho",
  "label.judge": "juiz",
  "file.brief": "requisitos.md",
  "file.goal": "objetivo.md",
  "file.questions": "perguntas.md",
  "file.handoff": "passagem-{step}.md",

  "human.timeout":
    "Ninguém respondeu. Continue pelo seu próprio julgamento e escreva esta pergunta e a suposição adotada em “Incógnitas e suposições”. Não repita a pergunta e não pare aqui.",
  "human.overBudget":
    "A cota de perguntas acabou. Continue pelo seu próprio julgamento e escreva esta pergunta e a suposição adotada em “Incógnitas e suposições”. Não pergunte de novo.",
  "human.declined":
    "A pessoa preferiu não responder a esta pergunta. Continue pelo seu próprio julgamento, escreva a suposição adotada em “Incógnitas e suposições” e não pergunte a mesma coisa de novo.",

  "section.goal": "Objetivo",
  "section.criteria": "Critérios de aceitação",
  "section.boundaries": "Limites",
  "section.unknowns": "Incógnitas e suposições",
  "section.checklist": "Lista de verificação",
  "section.conclusion": "Conclusão",
  "section.reason": "Motivo",
  "goal.unverifiableMark": "[não verificável neste ambiente: {reason}]",
};
