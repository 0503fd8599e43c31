import { join } from "node:path";

/** What keeps the CLI apart from this machine's own login and settings, and from the network. */
export function isolatedEnvironment(home: string, url: string): Record<string, string> {
  return {
    PATH: process.env["PATH"] ?? "",
    HOME: home,
    CLAUDE_CONFIG_DIR: join(home, "config"),
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: "fake",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    CLAUDE_CODE_MAX_RETRIES: "0",
  };
}
