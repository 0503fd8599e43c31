import type { ScriptedReply, ScriptedStep } from "../../src/engines/scripted.ts";
import { resultText, textOf } from "../../src/messages/message.ts";
import type { CheckVerdict, JudgeReport } from "../../src/workflow/verdict.ts";
import { isDone, type JudgeCase } from "./case.ts";

/** A judge that looks: with tools where the item says where, and at what the runtime's commands gave. */
export function honestJudge({ items }: JudgeCase): readonly ScriptedStep[] {
  const looks = items.flatMap(({ look }, index) => (look ? [{ look, number: index + 1 }] : []));
  const calls = looks.map(({ look }) => ({ name: look.tool, args: { ...look.args } }));
  const decide: ScriptedStep = ({ messages }) => {
    const prompt = messages[0] ? textOf(messages[0]) : "";
    const outputs = (messages.at(-1)?.parts ?? []).flatMap((part) => (part.type === "result" ? [resultText(part.content)] : []));
    const seen = new Map(looks.map(({ look, number }, index) => [number, look.shows.exec(outputs[index] ?? "")?.[0]]));
    return handIn({
      checks: items.map((item, index) => {
        const number = index + 1;
        if (item.command !== undefined) return byCommand(number, prompt);
        if (item.unverifiableReason !== undefined) return { number, state: "unverifiable", evidence: item.unverifiableReason };
        const quote = seen.get(number);
        return quote === undefined ? { number, state: "failed", evidence: "not found" } : { number, state: "passed", evidence: quote };
      }),
      reason: "I looked.",
    });
  };
  return [...(calls.length > 0 ? [{ calls }] : []), decide, "That is it."];
}

/** By what the runtime says of its command, before the worker's report begins. */
function byCommand(number: number, prompt: string): CheckVerdict {
  const told = new RegExp(`^Check ${number}: (as expected|NOT as expected)$`, "m").exec(prompt)?.[1];
  if (told === undefined) return { number, state: "unverifiable", evidence: "the command was not run" };
  return { number, state: told === "as expected" ? "passed" : "failed", evidence: told };
}

function handIn(report: JudgeReport): ScriptedReply {
  return { calls: [{ name: "verdict", args: JSON.parse(JSON.stringify(report)) }] };
}

/** Judges that do not look, by what they hand in. */
export const REPORTS = {
  /** Believes the worker, and calls that evidence. */
  credulous: ({ items }: JudgeCase): JudgeReport => all(items.length, "The worker's report says so."),
  /** Passes everything, and shows nothing for it. */
  lazy: ({ items }: JudgeCase): JudgeReport => all(items.length, " "),
  /** Leaves out the last item. */
  forgetful: ({ items }: JudgeCase): JudgeReport => all(items.length - 1, "I saw it."),
} as const;

function all(count: number, evidence: string): JudgeReport {
  const checks = Array.from({ length: count }, (_, index): CheckVerdict => ({ number: index + 1, state: "passed", evidence }));
  return { checks, reason: "All checks passed." };
}

/** Judges that answer in words, though they were asked for a verdict. */
export const WORDS = {
  credulous: () => ["All checks passed.", "1", "目标已达成。", "# Veredito\nAtingido\n# Motivo\nO relatório diz tudo."],
  /** Says what the worker says. */
  echoing: ({ report }: JudgeCase) => [report],
  /** Looked, and says so in its own words. */
  honest: (given: JudgeCase) =>
    isDone(given)
      ? ["# Conclusion\nAchieved\n# Reason\nI saw every item.", "达成"]
      : ["Conclusion: not achieved\nReason: one item is missing", "尚未达成", "Quase atingido, falta um item."],
} as const;
