import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const FILE = "node_modules/@anthropic-ai/claude-agent-sdk/sdk.mjs";
const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

/** The SDK's file: in the folder that FLOWER_CLAUDE_SDK names, in `.claude-sdk` (where `.ci/run` installs it), or installed here. */
export const SDK = [process.env["FLOWER_CLAUDE_SDK"], join(ROOT, ".claude-sdk"), ROOT]
  .filter((folder) => folder !== undefined)
  .map((folder) => join(folder, FILE))
  .find((file) => existsSync(file));
