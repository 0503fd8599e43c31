import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { newFolder } from "./cli.ts";
import { hasScript, Terminal } from "./terminal.ts";

const GOAL = "# Goal\nIt greets.\n\n# Checklist\n- greeting.txt says Hello\n";
const BRIEF = "## Goal\n\ng\n\n## Acceptance criteria\n\nc\n\n## Boundaries\n\nb\n\n## Unknowns and assumptions\n\nu\n";

/** A document, and an editor that does another thing each time; it keeps what it was given. */
async function atDesk(name: "goal" | "brief", steps: readonly string[]) {
  const folder = await newFolder();
  await mkdir(join(folder, ".flower/notes"), { recursive: true });
  const path = join(folder, ".flower/notes", `${name}.md`);
  const text = name === "goal" ? GOAL : BRIEF;
  await writeFile(path, text);
  const editor = join(folder, "editor");
  const cases = steps.map((step, index) => `${index + 1}) ${step};;`).join("\n");
  const script = `#!/bin/sh\ncd '${folder}'; echo x >> times; n=$(wc -l < times)\ncp "$1" "given-$((n))"\ncase $((n)) in\n${cases}\nesac\n`;
  await writeFile(editor, script);
  await chmod(editor, 0o700);
  const terminal = await Terminal.open([name, "--edit"], { cwd: folder, env: { EDITOR: editor } });
  return { terminal, path, before: text, given: (time: number) => readFile(join(folder, `given-${time}`), "utf8") };
}

describe.skipIf(!hasScript)("at a terminal, an edit that leaves a document incomplete", () => {
  test("is said and offered again, with what was written so far; mended, it is saved", async () => {
    const { terminal, path, given } = await atDesk("goal", [
      `printf '# Goal\\nIt greets loudly.\\n' > "$1"`,
      `printf '\\n# Checklist\\n- it is loud\\n' >> "$1"`,
    ]);
    await terminal.shows("It is not complete. Missing or not understood: Checklist. Edit again? [Y/n]");
    terminal.type("\r");
    expect(await terminal.ended).toBe(0);
    expect(terminal.screen).toContain(`${path} is saved.`);
    expect(await given(2)).toBe("# Goal\nIt greets loudly.\n");
    expect(await readFile(path, "utf8")).toBe("# Goal\nIt greets loudly.\n\n# Checklist\n- it is loud\n");
  });

  test("is asked about as often as it takes; a no leaves the document and keeps what was written", async () => {
    const { terminal, path, before } = await atDesk("brief", [`sed -i 's/^c$//' "$1"`, `sed -i 's/^b$//' "$1"`]);
    await terminal.shows("Missing or not understood: Acceptance criteria. Edit again?");
    terminal.type("y\r");
    await terminal.shows("Missing or not understood: Acceptance criteria; Boundaries. Edit again?");
    terminal.type("n\r");
    expect(await terminal.ended).toBe(1);
    expect(await readFile(path, "utf8")).toBe(before);
    const kept = /What you wrote lies in (\S+)\.(?:\s|$)/.exec(terminal.screen)?.[1] ?? "";
    expect(await readFile(kept, "utf8")).not.toMatch(/^[cb]$/m);
  });

  test("and a keyboard that ends (Ctrl+D) is a no", async () => {
    const { terminal, path, before } = await atDesk("goal", [`printf '# Goal\\nx\\n' > "$1"`]);
    await terminal.shows("Edit again?");
    terminal.type("\x04");
    expect(await terminal.ended).toBe(1);
    expect(await readFile(path, "utf8")).toBe(before);
  });
});
