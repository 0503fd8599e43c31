import { beforeEach, vi } from "vitest";
import { SDK } from "./sdk-file.ts";

const WHY = "@anthropic-ai/claude-agent-sdk is not installed: npm install --prefix .claude-sdk @anthropic-ai/claude-agent-sdk@0.3.332";

/** Skips the file's tests, saying why, where the SDK is not installed. */
export function needsSdk(): void {
  vi.setConfig({ testTimeout: 90_000 }); // each query starts a process of 170 MB
  beforeEach((context) => context.skip(SDK === undefined, WHY));
}
