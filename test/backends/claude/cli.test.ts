import { execFile } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { newFolder } from "../../folder.ts";
import { MODEL } from "./desk.ts";
import { isolatedEnvironment } from "./isolated-environment.ts";
import { serveMessages } from "./messages-server.ts";
import { needsSdk } from "./needs-sdk.ts";
import { SDK } from "./sdk-file.ts";

needsSdk();

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

test("flower once --backend claude does a job with the SDK that the workspace has installed", async () => {
  await using server = await serveMessages([
    { calls: [{ name: "Write", args: { file_path: "made.txt", content: "hello\n" } }] },
    "I made it.",
  ]);
  const folder = newFolder();
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(join(dirname(SDK as string), ".."), join(folder, "node_modules/@anthropic-ai"));
  const command = ["--conditions=flower-source", "--import", "tsx", "src/cli/main.ts", "once", "make it", "--backend", "claude"];
  const { stdout } = await promisify(execFile)(process.execPath, [...command, "-w", folder, "--model", MODEL, "--timeout", "0"], {
    cwd: ROOT,
    env: isolatedEnvironment(newFolder(), server.url),
  });
  expect(await readFile(join(folder, "made.txt"), "utf8")).toBe("hello\n");
  expect(stdout).toContain("I made it.");
  expect(server.asked[0]?.system).toContain("You are an agent of flower");
});
