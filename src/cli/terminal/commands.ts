/** The commands a person can type, without the slash. */
const TERMINAL_COMMANDS = ["status", "goal", "brief", "cost", "quit", "help"] as const;
type TerminalCommand = (typeof TERMINAL_COMMANDS)[number];

/** What a typed line means. */
export type TypedLine =
  | { readonly kind: "nothing" }
  /** The words as they were typed: what they mean, `readAnswer` says. */
  | { readonly kind: "answer"; readonly questionId: string; readonly text: string }
  /** The person chose not to answer. */
  | { readonly kind: "skip"; readonly questionId: string }
  | { readonly kind: "mail"; readonly text: string }
  | { readonly kind: "oracle"; readonly question: string }
  | { readonly kind: "interrupt"; readonly text: string }
  | { readonly kind: "command"; readonly name: TerminalCommand }
  /** Looks like a command but is none: said, not sent. */
  | { readonly kind: "unknown-command"; readonly name: string };

export interface LineContext {
  /** The question the line belongs to. */
  readonly question?: { readonly id: string };
}

/**
 * Decides what a line means. `?` asks the oracle and `/word` is a command even while a question waits; a space before
 * them sends them as words. A path such as `/etc/hosts` is no command.
 */
export function interpretLine(line: string, { question }: LineContext = {}): TypedLine {
  const text = line.trim();
  if (text === "") return question ? { kind: "skip", questionId: question.id } : { kind: "nothing" };
  return special(line) ?? (question ? { kind: "answer", questionId: question.id, text } : { kind: "mail", text });
}

function special(line: string): TypedLine | undefined {
  if (/^[?？]/.test(line)) {
    const question = line.slice(1).trim();
    return question === "" ? { kind: "command", name: "help" } : { kind: "oracle", question };
  }
  const match = /^\/([a-z]+)(?:\s+([\s\S]*))?$/i.exec(line.trimEnd());
  if (!match || line.startsWith(" ")) return undefined;
  return command((match[1] ?? "").toLowerCase(), (match[2] ?? "").trim());
}

/** Words behind a command that takes none are not dropped silently: the whole is no command. */
function command(name: string, words: string): TypedLine {
  if (name === "interrupt") return { kind: "interrupt", text: words };
  const known = TERMINAL_COMMANDS.find((each) => each === name);
  return known && words === "" ? { kind: "command", name: known } : { kind: "unknown-command", name: `${name} ${words}`.trim() };
}
