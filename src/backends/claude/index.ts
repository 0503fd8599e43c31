export type { Backend } from "../backend.ts";
export { type ClaudeBackendOptions, claudeBackend } from "./claude.ts";
export { type NormalizeContext, normalize } from "./normalize.ts";
