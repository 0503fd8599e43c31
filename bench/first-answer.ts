import type { Arithmetic } from "./arithmetic.ts";
import { participantOf } from "./participants.ts";
import { Script } from "./script.ts";

// A whole program: makes a bot with the library, and prints its first answer. With "tool" the agent has one, with a zod schema.
const [, , name = "", withTool] = process.argv;
const { makeBot } = await participantOf(name).load();
let tool: Arithmetic | undefined;
if (withTool === "tool") {
  const { Arithmetic } = await import("./arithmetic.ts");
  tool = new Arithmetic();
}
const bot = await makeBot({ script: new Script([{ text: "It is fine." }]), tool });
process.stdout.write((await bot?.say("session", "What do you think?")) ?? "");
process.exit(0);
