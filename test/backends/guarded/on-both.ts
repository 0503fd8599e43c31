import { test } from "vitest";
import { SDK } from "../claude/sdk-file.ts";
import { BACKENDS, type BackendName } from "./site.ts";

const WHY = "@anthropic-ai/claude-agent-sdk is not installed: npm install --prefix .claude-sdk @anthropic-ai/claude-agent-sdk@0.3.332";

/** One test for each backend; that of the Claude CLI is skipped, saying why, where its SDK is not installed. */
export function onBoth(title: string, run: (backend: BackendName) => Promise<void>): void {
  for (const backend of BACKENDS) {
    test(`${backend}: ${title}`, { timeout: 90_000 }, async (context) => {
      context.skip(backend === "claude" && SDK === undefined, WHY);
      await run(backend);
    });
  }
}
