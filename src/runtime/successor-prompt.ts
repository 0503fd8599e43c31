/** What a fresh session is told that takes over from one whose context was full. */
export interface Succession {
  /** The step's task, as it was given. */
  readonly task: string;
  /** What was asked last, when that is not the task: a judge's rejection, a person's words at a restart. */
  readonly latest?: string;
  /** Brief, goal: as they stand now, with their paths. */
  readonly documents: readonly { readonly path: string; readonly text: string }[];
  /** Questions that wait for the person. */
  readonly questions: readonly string[];
  /** What the person said to this step, oldest first. */
  readonly said: readonly string[];
  readonly handoff: { readonly path: string; readonly text: string };
}

/** Task, documents and words are given verbatim, and once: what the task holds already is not repeated. */
export function successorPrompt(succession: Succession): string {
  const { task, latest, handoff } = succession;
  const parts = [
    "You are taking over this work from a session whose context is full. You see nothing of its conversation; what it left for you is its handoff document, below, and the workspace.",
    `# The task\n\n${task}`,
  ];
  const add = (title: string, text: string) => {
    if (text.trim() !== "" && !parts.some((part) => part.includes(text.trim()))) parts.push(`# ${title}\n\n${text.trim()}`);
  };
  if (latest !== undefined) add("What you were asked last", latest);
  for (const { path, text } of succession.documents) add(path, text);
  for (const words of succession.said) add("The person said during the work", words);
  if (succession.questions.length > 0)
    add("Questions that wait for the person", succession.questions.map((text) => `- ${text}`).join("\n"));
  parts.push(`# The handoff document, ${handoff.path}\n\n${handoff.text.trim()}`);
  parts.push(
    "Go on with what comes next there. What the task, the goal and the person say goes before what the document says. Look at the state of a thing before you do it again.",
  );
  return parts.join("\n\n");
}

/** Asks the session whose context is full for its document. */
export function writingPrompt(missing: readonly string[] = []): string {
  const again = missing.length === 0 ? "" : ` The document lacks ${missing.join(" and ")}.`;
  return `The context of this session is full, so a fresh session takes over.${again} Call handoff_document now, with all that it needs and cannot see in the workspace: what you are doing and how far it is, what was decided and why, what does not work, what comes next, which paths matter. Do nothing else. If you cannot call it, answer with the same five parts as Markdown sections: Doing, Decided, Dead ends, Next, Scene.`;
}
