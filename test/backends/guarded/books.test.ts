import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { expect } from "vitest";
import { coordinator, worker } from "../../../src/runtime/roles.ts";
import { onBoth } from "./on-both.ts";
import { type Call, MODEL, openSite, type Site, voice } from "./site.ts";

/** What must stay as it is: of the run before, of this one, and of another agent. */
const CLOSED = [
  "runs/20260101-000000-000000/manifest.json",
  ".flower/notes/brief.md",
  ".flower/notes/goal.md",
  ".flower/spill/0123456789abcdef.txt",
];
const GROWING = [".flower/notes/questions.md", ".flower/notes/archive/one.md"];

const ON_EACH = `
echo x > FILE
echo x >| FILE
echo x | tee FILE
cat a.txt > FILE
: > FILE
rm FILE
rm -rf FOLDER
mv FILE away
mv FOLDER away
mv a.txt FILE
cp a.txt FILE
cp a/NAME FOLDER
cp -t FOLDER a/NAME
mv a/NAME FOLDER/
ln -sf ../../a/NAME FOLDER
sed -i s/kept/lost/ FILE
truncate -s 0 FILE
dd if=a.txt of=FILE
ln -f a.txt FILE
ln -sf ../a.txt FILE
git checkout -- FILE
git checkout HEAD FILE
git restore FILE
git -C . checkout -- FILE
git rm -qf FILE
find FOLDER -type f -delete
cd FOLDER && rm -f *
bash -c 'rm -rf FOLDER'
ln FILE mine; echo x > mine
rsync -a --delete a/ FOLDER`;

const ON_ALL = `
rm -rf .flower runs
rm -rf .
rm -rf *
mv .flower elsewhere
git clean -fdx
git stash --all
rsync -a --delete a/ .
echo x > alias/20260101-000000-000000/manifest.json
rm -rf alias
cd alias && rm -rf 20260101-000000-000000
echo x > linked-brief.md
sed -i s/kept/lost/ linked-brief.md`;

const lines = (text: string) => text.trim().split("\n");

/** Of the ways to each book every n-th, each book another. */
function callsOf(who: string, books: readonly string[], every: number): readonly Call[] {
  const files = books.flatMap((file, at): readonly Omit<Call, "id">[] => [
    { name: "Write", args: { file_path: file, content: "x" } },
    { name: "Edit", args: { file_path: file, old_string: "kept", new_string: "lost" } },
    ...lines(ON_EACH)
      .filter((_, way) => way % every === at % every)
      .map((line) => bash(line.replaceAll("FILE", file).replaceAll("FOLDER", dirname(file)).replaceAll("NAME", basename(file)))),
  ]);
  const links = ["alias/20260101-000000-000000/manifest.json", "alias/new.json", "linked-brief.md", "RUNS/../runs/x"].map((file_path) => ({
    name: "Write",
    args: { file_path, content: "x" },
  }));
  const fresh = [".flower/spill/new.txt", "runs/new/x"].map((file_path) => ({ name: "Write", args: { file_path, content: "x" } }));
  return [...files, ...links, ...fresh, ...lines(ON_ALL).map(bash)].map((call) => ({
    ...call,
    id: `${who} ${call.name} ${JSON.stringify(call.args)}`,
  }));
}

function bash(command: string): Omit<Call, "id"> {
  return { name: "Bash", args: { command, description: "x" } };
}

function furnish({ work, runtime, home }: Site): void {
  runtime.workbench.ensure();
  for (const folder of ["runs/20260101-000000-000000", "a", ".flower/notes/archive"]) mkdirSync(join(work, folder), { recursive: true });
  for (const file of [...CLOSED, ...GROWING]) writeFileSync(join(work, file), "kept\n");
  writeFileSync(join(work, "a.txt"), "mine\n");
  symlinkSync("runs", join(work, "alias"));
  symlinkSync(".flower/notes/brief.md", join(work, "linked-brief.md"));
  const commit = `git init -q . && git add -f ${[...CLOSED, ...GROWING].join(" ")} && git -c user.email=a@b -c user.name=x commit -q -m one`;
  execFileSync("sh", ["-c", commit], { cwd: work, env: { ...process.env, HOME: home } });
}

const GROWN: readonly Call[] = [
  { id: "append", ...bash("echo more >> .flower/notes/questions.md") },
  { id: "append by tee", ...bash("echo more | tee -a .flower/notes/archive/one.md") },
  { id: "new in the archive", name: "Write", args: { file_path: ".flower/notes/archive/two.md", content: "x" } },
  { id: "read", name: "Read", args: { file_path: ".flower/notes/brief.md" } },
  { id: "look", ...bash("cat runs/20260101-000000-000000/manifest.json | tee copy.json") },
];

onBoth("the books are out of reach of the main thread and of a subagent, and what may grow grows", async (backend) => {
  const site = await openSite(backend);
  furnish(site);
  const hand = worker({ name: "hand", description: "d", model: MODEL, instructions: voice("hand") });
  const main = worker({ name: "main", model: MODEL, instructions: voice("main") }).with({ subagents: [hand] });
  const start = { id: "start", name: "Agent", args: { description: "d", prompt: "p", subagent_type: "hand" } };
  const above = callsOf("main", [...CLOSED, ...GROWING], 3);
  const below = callsOf("hand", [...CLOSED.slice(0, 1), ...GROWING.slice(0, 1)], 1);
  const { result, outcomes } = await site.run(main, { main: [above, [start]], hand: [below, GROWN] });
  expect(result.ok).toBe(true);
  const passed = [...above, ...below].filter(({ id }) => !isRefused(outcomes.get(id)?.text));
  expect(passed.map(({ id }) => [id, outcomes.get(id)?.text])).toEqual([]);
  for (const file of CLOSED) expect(readFileSync(join(site.work, file), "utf8")).toBe("kept\n");
  for (const file of GROWING) expect(readFileSync(join(site.work, file), "utf8")).toBe("kept\nmore\n");
  expect(GROWN.filter(({ id }) => outcomes.get(id)?.isError).map(({ id }) => id)).toEqual([]);
});

/** On purpose; of an Edit the CLI may say before us that the file was not read. */
function isRefused(text = ""): boolean {
  return /on purpose/.test(text) || /has not been read yet/.test(text);
}

onBoth("a coordinator cannot write the books by a command that looks like a glance", async (backend) => {
  const site = await openSite(backend);
  furnish(site);
  const main = coordinator({ name: "main", model: MODEL, instructions: voice("main") });
  const commands = [
    "git log --output=runs/20260101-000000-000000/manifest.json",
    "sort -o .flower/notes/brief.md a.txt",
    "ls > runs/20260101-000000-000000/manifest.json",
    "git diff --no-index --output=.flower/notes/goal.md a.txt a",
  ];
  const calls = commands.map((command) => ({ id: command, ...bash(command) }));
  const { outcomes } = await site.run(main, { main: [calls] });
  expect(calls.filter(({ id }) => !isRefused(outcomes.get(id)?.text))).toEqual([]);
  for (const file of CLOSED) expect(readFileSync(join(site.work, file), "utf8")).toBe("kept\n");
});
