import { HumanChannel } from "../../src/human/channel.ts";

/** A process that asks, says so, and waits until it is killed. */
const channel = new HumanChannel({ storePath: process.argv[2] as string, timeoutMs: null, onEvent: (event) => console.log(event.text) });
await channel.ask("Tabs?", { key: "s/c" });
