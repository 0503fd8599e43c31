import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";

export interface Message {
  readonly id?: string;
  readonly event?: string;
  readonly data?: string;
}

/** What an EventSource does, over a socket of its own: give it the last id it saw, and it goes on from there. */
export class SseClient {
  /** Everything read so far, heartbeats left out. */
  readonly messages: Message[] = [];
  #response: IncomingMessage | undefined;
  #text = "";

  static async connect(url: string, lastEventId?: string): Promise<SseClient> {
    const client = new SseClient();
    const resume = lastEventId === undefined ? {} : { "last-event-id": lastEventId };
    const call = get(url, { headers: { accept: "text/event-stream", ...resume }, agent: false });
    const [response] = (await once(call, "response")) as [IncomingMessage];
    client.#response = response.setEncoding("utf8").on("error", () => {}); // it is cut, that is what we do
    return client;
  }

  get lastId(): string | undefined {
    return this.messages.findLast((message) => message.id !== undefined)?.id;
  }

  /** Reads until a message is the one, or the stream ends; takes nothing more from the socket after it. */
  async readUntil(isLast: (message: Message) => boolean = () => false): Promise<void> {
    for await (const chunk of this.#chunks()) {
      this.#text += chunk;
      const frames = this.#text.split("\n\n");
      this.#text = frames.pop() ?? "";
      const messages = frames.filter((frame) => !frame.startsWith(":")).map(toMessage);
      const last = messages.findIndex(isLast);
      this.messages.push(...(last < 0 ? messages : messages.slice(0, last + 1)));
      if (last >= 0) return;
    }
  }

  /** As when the network goes: no farewell. */
  cut(): void {
    this.#response?.destroy();
  }

  async *#chunks(): AsyncGenerator<string, void, void> {
    const chunks = this.#response?.iterator({ destroyOnReturn: false }) ?? [];
    for await (const chunk of chunks as AsyncIterable<string>) yield chunk;
  }
}

function toMessage(frame: string): Message {
  return Object.fromEntries(frame.split("\n").map((line) => line.split(/: ?(.*)/s).slice(0, 2)));
}
