/** The size of the soak: about as many iterations, a few more for looking, handing over and judging. */
export const COUNT = 350;

export const EDIT_EVERY = 14;
export const RECORD_EVERY = 25;
/** The number at which the worker publishes what it has, which a person has to allow. */
export const PUSH_AT = 210;

export const REQUEST = `Write the numbers from 1 to ${COUNT} into numbers.txt, one a line, and record them as you go.`;

/** To the clarifier's question. */
export const ANSWER = "A plain text file, please; nobody but me will read it.";

export const INTERRUPTS = [
  "Stop for a second: when you are through, also write finis.txt with the word finis in it.",
  "Listen: every number stays on a line of its own.",
] as const;

export const MAILS = ["By the way, keep ledger.md up to date.", "I am on the train now; never sort numbers.txt."] as const;

/** What adds to the requirements. */
export const WORDS = [...INTERRUPTS, ...MAILS] as const;

export const GOAL = {
  statement: `numbers.txt holds the numbers from 1 to ${COUNT}, each once.`,
  checks: [
    { text: `numbers.txt has ${COUNT} lines`, command: "wc -l < numbers.txt", expect: { stdoutContains: [String(COUNT)] } },
    { text: "No number is there twice", command: "sort numbers.txt | uniq -d | wc -l", expect: { stdoutContains: ["0"] } },
    { text: "The numbers stand in their order" },
  ],
} as const;
