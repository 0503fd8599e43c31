import { HumanChannel } from "../../../src/human/channel.ts";
import type { HumanChannelOptions } from "../../../src/human/channel-options.ts";
import type { CallPart } from "../../../src/messages/message.ts";
import { runCall } from "../../../src/tools/call.ts";
import type { Tool } from "../../../src/tools/tool.ts";

/** A process whose agent asks, says so, and waits until it is killed. Arguments: the store, and settings as JSON. */
const settings = JSON.parse(process.argv[3] ?? "{}") as HumanChannelOptions;
const channel = new HumanChannel({
  timeoutMs: null,
  ...settings,
  storePath: process.argv[2] as string,
  onEvent: (event) => console.log(event.text),
});
const call: CallPart = { type: "call", callId: "c1", name: "mcp__human__ask", args: { question: "Tabs?", options: ["yes", "no"] } };
const context = { sessionId: "s1", path: ["boss"], agent: "boss", callId: "c1", metadata: {}, history: [], services: {}, emit: () => {} };
await runCall(call, channel.tools[0] as Tool, { ...context, signal: new AbortController().signal });
