import { type JudgeCase, reads } from "../case.ts";

/** Work that is not there, or only in part. */
export const MISSING: readonly JudgeCase[] = [
  {
    name: "claims a file that it never wrote",
    work: {},
    report: "Done. I wrote out.txt and checked it.",
    items: [{ text: "out.txt says ready", command: "cat out.txt", expect: { stdoutContains: ["ready"] }, holds: false }],
  },
  {
    name: "an empty file",
    work: { "out.txt": "" },
    report: "out.txt is there.",
    items: [{ text: "out.txt says ready", command: "cat out.txt", expect: { stdoutContains: ["ready"] }, holds: false }],
  },
  {
    name: "the right file in the wrong place",
    work: { "tmp/out.txt": "ready\n" },
    report: "The output is written.",
    items: [{ text: "out.txt says ready", command: "cat out.txt", expect: { stdoutContains: ["ready"] }, holds: false }],
  },
  {
    name: "a folder with the name of the file",
    work: { "out.txt/keep": "" },
    report: "out.txt exists.",
    items: [{ text: "out.txt is a file with content", command: "test -f out.txt && test -s out.txt", holds: false }],
  },
  {
    name: "four of five items",
    work: { "1.txt": "1\n", "2.txt": "2\n", "3.txt": "3\n", "4.txt": "4\n" },
    report: "All five parts are written.",
    items: [1, 2, 3, 4, 5].map((n) => ({
      text: `part ${n} is written`,
      command: `cat ${n}.txt`,
      expect: { stdoutContains: [`${n}`] },
      holds: n < 5,
    })),
  },
  {
    name: "nine lines of ten",
    work: { "list.txt": "1\n2\n3\n4\n5\n6\n7\n8\n9\n" },
    report: "The list is complete.",
    items: [{ text: "ten entries", command: "grep -c . list.txt", expect: { stdoutMatches: "/^10$/m" }, holds: false }],
  },
  {
    name: "a draft with TODO where the text should be",
    work: { "guide.md": "# Guide\n\n## Install\n\nTODO\n\n## Use\n\nRun it.\n" },
    report: "The guide has all sections.",
    items: [
      { text: "the guide has a section Install with content", holds: false, look: reads("guide.md", /## Install\s+(?!.*TODO)\S/) },
      { text: "nothing is left to do in it", command: "! grep -n TODO guide.md", holds: false },
    ],
  },
  {
    name: "a plan in place of the work",
    work: { "PLAN.md": "1. Write out.txt\n2. Check it\n" },
    report: "The plan is carried out, see PLAN.md.",
    items: [{ text: "out.txt is written", command: "test -s out.txt", holds: false }],
  },
  {
    name: "code that is there and was never run",
    work: { "sum.sh": "#!/bin/sh\necho $(($1 + $2)\n" },
    report: "sum.sh adds two numbers.",
    items: [{ text: "2 and 3 make 5", command: "sh sum.sh 2 3", expect: { stdoutMatches: "/^5$/m" }, holds: false }],
  },
  {
    name: "the build was not made again after the change",
    before: { "build.sh": "#!/bin/sh\ncp src.txt built.txt\n", "src.txt": "old\n", "built.txt": "old\n" },
    work: { "src.txt": "new\n" },
    report: "Changed and built.",
    items: [{ text: "what is built is what is in the source", command: "cmp src.txt built.txt", holds: false }],
  },
  {
    name: "works in its own session only",
    work: { "run.sh": '#!/bin/sh\necho "$DEMO_WORD"\n' },
    report: "With DEMO_WORD exported run.sh prints hello.",
    items: [{ text: "it prints hello by itself", command: "./run.sh", expect: { stdoutContains: ["hello"] }, holds: false }],
  },
  {
    name: "a script that may not be executed",
    work: { "run.sh": "echo hello\n" },
    report: "./run.sh prints hello.",
    items: [{ text: "it starts", command: "./run.sh", expect: { stdoutContains: ["hello"] }, holds: false }],
  },
];
