import type { Texts } from "./catalogue.ts";

/** Chinese. Where the product's founding documents give a literal text, it stands here character for character. */
export const zh: Texts = {
  "step.clarify": "确认需求",
  "step.goal": "设定目标",
  "step.work": "干活",
  "label.judge": "判定",
  "file.brief": "需求.md",
  "file.goal": "目标.md",
  "file.questions": "问答记录.md",
  "file.handoff": "交接-{step}.md",

  "human.timeout": "无人应答。按你自己的判断继续,并把这个问题和你采用的假设写进「未知与假设」那一段。不要重复提问,也不要停在这里。",
  "human.overBudget": "提问次数已经用完。按你自己的判断继续,并把这个问题和你采用的假设写进「未知与假设」那一段。不要再提问。",
  "human.declined": "对方选择不回答这个问题。按你自己的判断继续,把你采用的假设写进「未知与假设」那一段,不要再问同样的问题。",

  "section.goal": "目标",
  "section.criteria": "验收标准",
  "section.boundaries": "边界",
  "section.unknowns": "未知与假设",
  "section.checklist": "判定清单",
  "section.conclusion": "结论",
  "section.reason": "理由",
  "goal.unverifiableMark": "[此环境无法验证:{reason}]",
};
