import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { worker } from "../../../src/runtime/roles.ts";
import { escapes, oddities } from "./escapes.ts";
import { onBoth } from "./on-both.ts";
import { type Call, MODEL, openSite, type Site, voice } from "./site.ts";

/** A workspace with links out of it, beside a repository that is somebody else's. */
function furnish({ work, elsewhere, home }: Site): void {
  for (const folder of [join(elsewhere, "dir"), join(work, "a/b")]) mkdirSync(folder, { recursive: true });
  for (const folder of [elsewhere, home]) writeFileSync(join(folder, "secret.txt"), "the secret\n");
  writeFileSync(join(elsewhere, "Makefile"), "all:\n\techo x > out-by-make\n");
  writeFileSync(join(elsewhere, "package.json"), JSON.stringify({ name: "x", version: "1.0.0", scripts: { out: "echo x > out-by-npm" } }));
  writeFileSync(join(work, "in.txt"), "inside\n");
  const links = { link: elsewhere, file: join(elsewhere, "secret.txt"), dangling: join(elsewhere, "out0"), deep: "a/b" };
  const odd = { esc: join(elsewhere, "secret.txt"), "\u00e9": join(elsewhere, "secret.txt"), "\u00e9d": elsewhere };
  for (const [name, target] of Object.entries({ ...links, ...odd })) symlinkSync(target, join(work, name));
  execFileSync("tar", ["-cf", join(work, "x.tar"), "-C", work, "in.txt"]);
  const begin = "git init -q . && git -c user.email=a@b -c user.name=x commit -q --allow-empty -m one && git branch other";
  for (const cwd of [work, elsewhere]) execFileSync("sh", ["-c", begin], { cwd, env: { ...process.env, HOME: home } });
}

/** All that lies outside: files, with what they say, and the repository's refs. The CLI's own folder in the home is its own. */
function outside({ elsewhere, home }: Site): readonly string[] {
  const files = [elsewhere, home].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((name) => !/^(?:\.git|config|\.npm|\.cache|\.local)(?:\/|$)/.test(name))
      .map(
        (name) =>
          `${name} ${statSync(join(folder, name)).isFile() ? `${statSync(join(folder, name)).mode} ${readFileSync(join(folder, name), "utf8")}` : ""}`,
      ),
  );
  return [...files, execFileSync("git", ["for-each-ref"], { cwd: elsewhere, encoding: "utf8" })];
}

/** The links that some of the ways go by are made by the agent itself; it can, for a program does it. */
const LINKING: Call = {
  id: "linking",
  name: "Bash",
  args: {
    command: `node -e 'const fs = require("fs"); fs.symlinkSync("../elsewhere", "late"); fs.symlinkSync("../elsewhere/out9", "lately")'`,
    description: "x",
  },
};

const moving = (elsewhere: string): Call => ({ id: "moving", name: "Bash", args: { command: `cd ${elsewhere} && pwd`, description: "x" } });
const STAYING: Call = { id: "staying", name: "Bash", args: { command: "touch stayed", description: "x" } };

onBoth("a worker that nobody attends gets out of the workspace by no way that its call names", async (backend) => {
  const site = await openSite(backend);
  furnish(site);
  const places = { W: site.work, E: site.elsewhere };
  const refusable = escapes(places);
  const before = outside(site);
  const agent = worker({ model: MODEL, instructions: voice("worker") });
  const { result, outcomes } = await site.run(agent, {
    worker: [
      [LINKING, moving(site.elsewhere)],
      [STAYING, ...refusable, ...oddities(places)],
    ],
  });
  expect(result.ok).toBe(true);
  expect(["linking", "moving", "staying"].filter((id) => outcomes.get(id)?.isError)).toEqual([]);
  expect(existsSync(join(site.work, "stayed"))).toBe(true); // each command begins in the workspace
  const passed = refusable.filter(({ id }) => !/on purpose[.:]/.test(outcomes.get(id)?.text ?? ""));
  expect(passed.map(({ id }) => [id, outcomes.get(id)?.text])).toEqual([]);
  const shown = [...outcomes].filter(([, { text }]) => /the secret$/m.test(text) || text.includes(join(site.elsewhere, "package.json")));
  expect(shown).toEqual([]);
  expect(outside(site)).toEqual(before);
});

onBoth("a file that becomes a link after it was read is not written through", async (backend) => {
  const site = await openSite(backend);
  writeFileSync(join(site.work, "a.txt"), "inside\n");
  writeFileSync(join(site.elsewhere, "a.txt"), "inside\n");
  const swap = `node -e 'const fs = require("fs"); fs.unlinkSync("a.txt"); fs.symlinkSync("../elsewhere/a.txt", "a.txt")'`;
  const { outcomes } = await site.run(worker({ model: MODEL, instructions: voice("worker") }), {
    worker: [
      [{ id: "read", name: "Read", args: { file_path: "a.txt" } }],
      [{ id: "swap", name: "Bash", args: { command: swap, description: "x" } }],
      [
        { id: "edit", name: "Edit", args: { file_path: "a.txt", old_string: "inside", new_string: "written" } },
        { id: "write", name: "Write", args: { file_path: "a.txt", content: "written" } },
      ],
    ],
  });
  expect(outcomes.get("read")?.isError).toBe(false);
  expect([outcomes.get("edit"), outcomes.get("write")].map((outcome) => outcome?.isError)).toEqual([true, true]);
  expect(readFileSync(join(site.elsewhere, "a.txt"), "utf8")).toBe("inside\n");
});
