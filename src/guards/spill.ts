import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { type ResultContent, resultText } from "../messages/message.ts";
import type { CallGuard } from "../tools/call.ts";
import { maskSecrets } from "../workbench/secrets.ts";
import type { Workbench } from "../workbench/workbench.ts";

/** Results from this length on are kept in a file; the model gets the ends and where the rest is. */
const DEFAULT_SPILL_THRESHOLD = 4_000;
const SHOWN = 400;

/** A file's text lies in a file already and comes in pages; what a person said is never cut. */
const NEVER_SPILLED = /^(?:Read|mcp__human__.*)$/;

/**
 * Keeps long tool results out of the context: they go, with secrets masked, to `spill/<hash>.txt` of the workbench, and the model
 * gets a pointer with the beginning and the end. Reading a spill file, with whatever tool, never spills again.
 */
export function spillGuard(workbench: Workbench, threshold = DEFAULT_SPILL_THRESHOLD): CallGuard {
  return {
    async after(call, outcome) {
      if (NEVER_SPILLED.test(call.name) || namesSpill(call.args, workbench)) return outcome;
      const text = resultText(outcome.content);
      if (text.length < threshold) return outcome;
      const path = await keep(maskSecrets(text), workbench);
      const images = outcome.content.filter((part) => part.type === "image");
      return { ...outcome, content: [{ type: "text", text: pointer(text, path) } satisfies ResultContent, ...images] };
    },
  };
}

/** The same text lies in the same file. */
async function keep(text: string, workbench: Workbench): Promise<string> {
  const name = `${createHash("sha256").update(text).digest("hex").slice(0, 16)}.txt`;
  const path = join(workbench.spill, name);
  if (!existsSync(path)) await workbench.ensure().write(path, text);
  return path;
}

function pointer(text: string, path: string): string {
  const [head, tail] = [clean(text.slice(0, SHOWN)), clean(text.slice(-SHOWN))];
  return `[${text.length.toLocaleString("en-US")} characters, kept in ${path}: read there what you need, with Read or Grep. The beginning and the end:]\n${head}\n[…]\n${tail}`;
}

/** A cut may not leave half a character. */
function clean(text: string): string {
  return text.replace(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g, "");
}

/** The call reads what lies there already: its words name the folder, or a file in it by its name alone. */
function namesSpill(args: unknown, workbench: Workbench): boolean {
  const text = JSON.stringify(args) ?? "";
  if (text.includes(workbench.spill) || /(?:^|[\s"'/=(])spill\//.test(text)) return true;
  if (text.includes(basename(workbench.root)) && /(?:^|[\s"'/=(])spill(?![\w.-])/.test(text)) return true;
  return [...text.matchAll(/\b[0-9a-f]{16}\.txt\b/g)].some(([name]) => existsSync(join(workbench.spill, name)));
}
