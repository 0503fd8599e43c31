import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { booksGuard } from "../../src/guards/books.ts";
import { decidePermission, WORKER_PERMISSIONS } from "../../src/guards/permission.ts";
import { toolContext } from "../tools/tool-bench.ts";

let workspace = "";

beforeAll(async () => {
  workspace = await realpath(await mkdtemp(join(tmpdir(), "flower-redirects-")));
  await mkdir(join(workspace, ".flower/notes"), { recursive: true });
  await mkdir(join(workspace, "runs"));
  await mkdir(join(workspace, "src"));
});

afterAll(() => rm(workspace, { recursive: true, force: true }));

async function denial(command: string) {
  const guard = booksGuard({ workspace, runDir: join(workspace, "runs"), files: [".flower/notes/goal.md"], appendOnly: [] });
  return guard.before?.({ type: "call", callId: "c", name: "Bash", args: { command } }, toolContext());
}

async function decide(command: string) {
  return (await decidePermission({ name: "Bash", args: { command } }, WORKER_PERMISSIONS, { workspace, addDirs: [] })).decision;
}

test.each([
  "cd .flower/notes && printf x > goal.md",
  "cd .flower && cd notes && printf x >> log 2>&1 > goal.md",
  "cd .flower/notes && cat > goal.md <<EOF\nx\nEOF",
  "cd .flower/notes && cat <<EOF > goal.md\nx\nEOF",
  "cd .flower/notes && cat <<EOF && echo y > goal.md\nx\nEOF",
  "cd .flower/notes && cat <<EOF | sort > goal.md\nx\nEOF",
  "cd .flower/notes && cat a | sort > goal.md",
  "cd .flower/notes && ! cat a > goal.md",
  "cd .flower/notes && cat a > /dev/null && echo y > goal.md",
  "cd .flower/notes && { cd ..; echo y; } > goal.md",
  "cd .flower/notes && (cd ..; echo y) > goal.md",
  "cd .flower/notes && for i in 1; do echo y; done > goal.md",
  "cd .flower/notes && false || echo y > goal.md",
  "cd nowhere || echo y > .flower/notes/goal.md",
  "pushd .flower/notes && echo y > goal.md",
  "pushd src; popd; echo y > .flower/notes/goal.md",
  "env -C .flower/notes tee goal.md",
  "env --chdir=.flower/notes sh -c 'echo y > goal.md'",
  "env -C .flower/notes sh -c 'echo y > goal.md'",
  "{ cd src; echo y; } > .flower/notes/goal.md",
])("a redirection is opened where its command runs: %s is kept from the books", async (command) => {
  expect(await denial(command)).toContain("agents read but never write");
});

test.each([
  "cd .flower/notes && cd ../.. && echo x > goal.md",
  "cd .flower/notes && ls > /dev/null; cd ../..; echo x > goal.md",
  "{ cd .flower/notes; cat x; } > goal.md",
  "pushd .flower/notes; ls; popd; echo x > goal.md",
  "(cd .flower/notes && ls) > goal.md",
])("%s does not touch them", async (command) => {
  expect(await denial(command)).toBeUndefined();
});

test.each([
  "cd /root && echo x > evil",
  "cd /etc && cat a > /dev/null && echo y > evil-etc",
  "cd /root && cat > f <<EOF\nx\nEOF",
  "pushd /root && echo x > evil",
  "env -C /root tee evil",
  "env -C /root sh -c 'echo x > evil'",
  "G=goal.md; echo x > .flower/notes/$G",
  "echo x > $(cat where)",
  'cd "$WHERE" && echo x > evil',
  "true && git > log push",
  "true || cd src && echo x > a.ts",
])("a person is asked about %s", async (command) => {
  expect(await decide(command)).toBe("ask");
});

test.each([
  "cd src && echo x > a.ts",
  "cd src || exit 1; echo x > a.ts",
  "cd src || { mkdir src && cd src; } && echo x > a.ts",
  "cd /root && cat a > /dev/null 2>&1",
  'cd "$WHERE" && make > /dev/null 2>&1',
  "cd src && cat > a.ts <<EOF\nx\nEOF",
  "pushd src; make; popd; echo x > a.ts",
])("nobody is asked about %s", async (command) => {
  expect(await decide(command)).toBe("allow");
});

test.each([
  "git clean -xfd",
  "git clean -fdx",
  "git clean -ffdx",
  "git clean -f -d -X",
  "git clean -xfd -e runs",
  "git clean -Xfd -e .flower -e runs",
  "git clean -xfd -e .flower -e runs -e '!runs'",
  "git clean -xfd .flower",
  "git -C . clean -xfd",
  "cd src && git -C .. clean -xfd",
  "env git clean -xfd",
])("%s would remove the books, and is stopped with what to add", async (command) => {
  expect(await denial(command)).toContain("-e .flower -e runs");
});

test.each([
  "git clean -fd",
  "git clean -xfdn",
  "git clean -xfd -e .flower -e runs",
  "git clean -xfde .flower --exclude=/runs/",
  "git clean -xfd src",
  "cd src && git clean -xfd",
])("%s leaves them, and may run", async (command) => {
  expect(await denial(command)).toBeUndefined();
});
