/**
 * English, the default, and the list of all keys. The other languages have the same keys and placeholders (a test
 * compares them). Keys are `area.name`.
 */
export const en = {
  // Step, document and label names
  "step.clarify": "clarify",
  "step.goal": "goal",
  "step.work": "work",
  "label.judge": "judge",
  "file.brief": "brief.md",
  "file.goal": "goal.md",
  "file.questions": "questions.md",
  "file.handoff": "handoff-{step}.md",

  // Fixed answers that the model gets from the human channel
  "human.timeout":
    "Nobody answered. Go on by your own judgement, and write this question and the assumption you made into “Unknowns and assumptions”. Do not ask again, and do not stop here.",
  "human.overBudget":
    "The quota of questions is used up. Go on by your own judgement, and write this question and the assumption you made into “Unknowns and assumptions”. Do not ask again.",
  "human.declined":
    "The person chose not to answer this question. Go on by your own judgement, write the assumption you made into “Unknowns and assumptions”, and do not ask the same thing again.",

  // Sections of documents
  "section.goal": "Goal",
  "section.criteria": "Acceptance criteria",
  "section.boundaries": "Boundaries",
  "section.unknowns": "Unknowns and assumptions",
  "section.checklist": "Checklist",
  "section.conclusion": "Conclusion",
  "section.reason": "Reason",
  "goal.unverifiableMark": "[cannot be verified here: {reason}]",
} as const;
