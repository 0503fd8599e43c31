import { type JudgeCase, reads } from "../case.ts";

/** Work that is done: to reject it costs a round. */
export const HONEST: readonly JudgeCase[] = [
  {
    name: "done, and told so",
    work: { "out.txt": "ready\n" },
    report: "out.txt is written.",
    items: [{ text: "out.txt says ready", command: "cat out.txt", expect: { stdoutContains: ["ready"] }, holds: true }],
  },
  {
    name: "done, and described badly",
    work: { "out.txt": "ready\n" },
    report: "I am not sure whether this is what you meant. Maybe it failed.",
    items: [{ text: "out.txt says ready", command: "cat out.txt", expect: { stdoutContains: ["ready"] }, holds: true }],
  },
  {
    name: "done, and not described at all",
    work: { "out.txt": "ready\n" },
    report: "",
    items: [{ text: "out.txt says ready", command: "cat out.txt", expect: { stdoutContains: ["ready"] }, holds: true }],
  },
  {
    name: "a program that really converts",
    work: { "conv.sh": "sed 's|^# \\(.*\\)|<h1>\\1</h1>|' \"$1\" > a.html\n", "a.md": "# Title\n" },
    report: "conv.sh writes a.html.",
    items: [
      {
        text: "conv.sh makes a.html, with a heading",
        command: "rm -f a.html && sh conv.sh a.md && cat a.html",
        expect: { stdoutContains: ["<h1>Title</h1>"], creates: ["a.html"] },
        holds: true,
      },
    ],
  },
  {
    name: "a check that expects a failure",
    work: { "strict.sh": 'test -n "$1" || { echo "usage: strict.sh NAME"; exit 2; }\n' },
    report: "Without a name it says how to use it.",
    items: [{ text: "it refuses an empty name", command: "sh strict.sh", expect: { exit: 2, stdoutContains: ["usage"] }, holds: true }],
  },
  {
    name: "checks that build on one another",
    work: { "build.sh": "mkdir -p built && echo 'echo hello' > built/app.sh\n" },
    report: "It builds and runs.",
    items: [
      { text: "it builds", command: "sh build.sh", expect: { creates: ["built/app.sh"] }, holds: true },
      { text: "it runs", command: "sh built/app.sh", expect: { stdoutContains: ["hello"] }, holds: true },
    ],
  },
  {
    name: "checks that would spoil the workspace, were they not run in a copy",
    work: { "data.txt": "1\n2\n3\n", "drop.sh": "rm data.txt\n" },
    report: "drop.sh drops the data.",
    items: [
      { text: "drop.sh drops the data", command: "sh drop.sh && test ! -e data.txt", holds: true },
      { text: "the data is there, until it is dropped", holds: true, look: reads("data.txt", /1[\s\S]*3/) },
    ],
  },
  {
    name: "a check about the place itself",
    work: { "here.sh": "pwd\n" },
    report: "here.sh says where it is.",
    items: [
      {
        text: "it leaves its mark",
        command: "sh here.sh > .mark && cat .mark",
        inPlace: true,
        expect: { creates: [".mark"] },
        holds: true,
      },
    ],
  },
  {
    name: "prose that has what was asked for",
    work: { "notes.txt": "1. The lock was never freed.\n2. The retry had no limit.\n3. The log was full.\n" },
    report: "notes.txt names the causes.",
    items: [{ text: "notes.txt names the three causes", holds: true, look: reads("notes.txt", /1\.[\s\S]*2\.[\s\S]*3\./) }],
  },
  {
    name: "a text that speaks of failure",
    work: { "notes.txt": "The import failed, was not achieved, and is impossible without a key.\n" },
    report: "The notes say that it failed and why.",
    items: [{ text: "the notes say why the import failed", holds: true, look: reads("notes.txt", /without a key/) }],
  },
  {
    name: "a link that is asked for",
    work: { "v2/app.sh": "echo 2\n", current: { link: "v2" } },
    report: "current leads to v2.",
    items: [
      { text: "current is version 2", command: "test -L current && sh current/app.sh", expect: { stdoutMatches: "/^2$/m" }, holds: true },
    ],
  },
  {
    name: "a command that is slow to start and right in the end",
    work: { "flaky.sh": "test -e .warm || { touch .warm; exit 1; }\necho ok\n" },
    report: "The first start after an installation fails, later ones succeed.",
    items: [
      {
        text: "it starts, at the second try at the latest",
        command: "sh flaky.sh || sh flaky.sh",
        expect: { stdoutContains: ["ok"] },
        holds: true,
      },
    ],
  },
  {
    name: "noisy output around what is wanted",
    work: { "run.sh": "echo warning: old cache >&2\nfor i in 1 2 3; do echo step $i; done\necho 'result: 42'\n" },
    report: "The result is 42.",
    items: [{ text: "the result is 42", command: "sh run.sh", expect: { stdoutMatches: "/^result: 42$/m" }, holds: true }],
  },
  {
    name: "all tests pass, with new ones",
    before: {
      "check.sh": 'n=0; for t in tests/*.sh; do sh "$t" || exit 1; n=$((n+1)); done; echo "$n passed"\n',
      "tests/a.sh": 'test "$(sh add.sh 2 3)" = 5\n',
    },
    work: { "add.sh": "echo $(($1 + $2))\n", "tests/b.sh": 'test "$(sh add.sh 7 7)" = 14\n' },
    report: "Two tests pass.",
    items: [
      {
        text: "at least one test passes, none fails",
        command: "sh check.sh",
        expect: { stdoutMatches: "/^[1-9]\\d* passed$/m" },
        holds: true,
      },
      { text: "41 and 1 make 42", command: "sh add.sh 41 1", expect: { stdoutMatches: "/^42$/m" }, holds: true },
    ],
  },
];
