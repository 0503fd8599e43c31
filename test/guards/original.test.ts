import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { originalGuard } from "../../src/guards/original.ts";
import { newFolder } from "../folder.ts";
import { toolContext } from "../tools/tool-bench.ts";

let here: ReturnType<typeof place>;
beforeEach(() => {
  here = place();
});

/** A project and a copy of it beside it, both among the temporary files. */
function place() {
  const folder = realpathSync(newFolder());
  const original = join(folder, "project");
  const workspace = join(folder, ".copy", "project");
  for (const each of [original, workspace]) mkdirSync(join(each, "src"), { recursive: true });
  symlinkSync(folder, join(workspace, "out"));
  return { folder, original, workspace };
}

async function denial(name: string, args: Record<string, string>, { original, workspace } = here) {
  return originalGuard({ workspace, original }).before?.({ type: "call", callId: "c", name, args }, toolContext());
}

const command = (text: string) => text.replaceAll("ORIGINAL", here.original).replaceAll("FOLDER", here.folder);

test.each([
  "touch ORIGINAL/a",
  "echo x > ORIGINAL/a",
  "cp a.txt ORIGINAL",
  "cd ORIGINAL && npm run fix",
  'cd "ORIGINAL"/src; make',
  "git -C ORIGINAL commit -am x",
  "git --git-dir=ORIGINAL/.git commit -am x",
  "make -CORIGINAL",
  "W=ORIGINAL; touch $W/a",
  "python3 -c \"open('ORIGINAL/a','w')\"",
  "node <<'EOF'\nrequire('fs').writeFileSync('ORIGINAL/a', '')\nEOF",
  "bash -c 'touch ORIGINAL/a'",
  "touch FOLDER/./project/a",
  "touch FOLDER//project/a",
  "touch FOLDER/.copy/../project/a",
  "touch FOLDER/'pro'ject/a",
  "touch ../../project/a",
  "cd ../../project && touch a",
  "cd ../.. && touch project/a",
  "cd ../..; touch */a",
  "touch ../../*/a",
  "touch FOLDER/p*/a",
  "env -C ../../project touch a",
  "tar -xf x.tar -C ../../project",
  "dd if=a of=../../project/a",
  "echo x > ../../project/a",
  "touch out/project/a",
  "cd out && touch project/a",
  "ln -s ../../project here",
  "xargs touch < list ../../project/a",
  "cat ORIGINAL/a",
])("a command does not reach the original: %s", async (text) => {
  expect(await denial("Bash", { command: command(text) })).toMatch(/on purpose/);
});

test.each([
  "npm test",
  "touch a ./b src/../c",
  "cd src && touch a && cd .. && make",
  "rm -rf src",
  "touch ORIGINAL-2/a",
  "ls /tmp /usr/bin",
  "cd /tmp && mktemp -d",
  "grep -rn 'ORIGINAL' src",
  "git status && git diff",
  "git stash && git checkout -b x",
  "node -e 'console.log(1)'",
  "cat a.txt | sed s=a=b= > b.txt",
])("what stays in the copy may be run: %s", async (text) => {
  expect(await denial("Bash", { command: command(text) })).toBeUndefined();
});

test.each(["ORIGINAL/a", "../../project/a", "out/project/a"])("neither Write nor Edit changes the original: %s", async (path) => {
  expect(await denial("Write", { file_path: command(path), content: "x" })).toMatch(/on purpose/);
  expect(await denial("Edit", { file_path: command(path), old_string: "a", new_string: "b" })).toMatch(/on purpose/);
  expect(await denial("Write", { file_path: "src/a", content: "x" })).toBeUndefined();
});

test("an original that is reached by a link is known by both its names", async () => {
  const { folder, original, workspace } = place();
  symlinkSync(original, join(folder, "alias"));
  const alias = { folder, original: join(folder, "alias"), workspace };
  for (const name of [alias.original, original]) expect(await denial("Bash", { command: `touch ${name}/a` }, alias)).toMatch(/on purpose/);
});

test("in the copy of a linked worktree git may only look: its repository is the original's", async () => {
  const linked = place();
  writeFileSync(join(linked.workspace, ".git"), `gitdir: ${linked.folder}/main/.git/worktrees/project\n`);
  expect(await denial("Bash", { command: "git commit -am x" }, linked)).toMatch(/on purpose/);
  expect(await denial("Bash", { command: "git add -A && git stash" }, linked)).toMatch(/on purpose/);
  expect(await denial("Bash", { command: "git log --oneline" }, linked)).toBeUndefined();
});
