import { createRequire } from "node:module";
import type { Bot, SayOptions, Setup } from "../bot.ts";
import { fragmentsOf, nextCallId } from "../script.ts";

type Message =
  | { readonly role: "user" | "model"; readonly text: string }
  | { readonly role: "call"; readonly id: string; readonly name: string; readonly args: unknown }
  | { readonly role: "result"; readonly id: string; readonly text: string };

interface Conversation {
  readonly messages: Message[];
  /** Which of the two agents answers. */
  agent: string;
}

interface Store {
  /** Keeps the messages from this position on, and the agent, in one transaction. */
  append(session: string, conversation: Conversation, from: number): void;
  close(): void;
}

/** A loop written by hand for exactly these cases: what the work costs when no library is involved. */
export async function makeBot(setup: Setup): Promise<Bot> {
  const conversations = new Map<string, Conversation>();
  const store = setup.database === undefined ? undefined : openStore(setup.database);
  return {
    async say(session, text, options = {}) {
      const conversation = conversations.get(session) ?? { messages: [], agent: "first" };
      conversations.set(session, conversation);
      const { length } = conversation.messages;
      const { agent } = conversation;
      try {
        const answer = await turn(conversation, text, setup, options);
        store?.append(session, conversation, length);
        return answer;
      } catch (error) {
        conversation.messages.length = length;
        conversation.agent = agent;
        throw error;
      }
    },
    count: async (session) => conversations.get(session)?.messages.length ?? 0,
    close: async () => store?.close(),
  };
}

async function turn(conversation: Conversation, text: string, setup: Setup, { onDelta, signal }: SayOptions): Promise<string> {
  const { messages } = conversation;
  messages.push({ role: "user", text });
  for (;;) {
    const reply = await setup.script.reply(messages.length, signal);
    if ("text" in reply) {
      if (onDelta) for await (const fragment of stream(reply)) onDelta(fragment);
      messages.push({ role: "model", text: reply.text });
      return reply.text;
    }
    const id = nextCallId();
    messages.push({ role: "call", id, name: reply.call, args: reply.args });
    messages.push({ role: "result", id, text: runTool(reply.call, reply.args, conversation, setup) });
  }
}

async function* stream(reply: Parameters<typeof fragmentsOf>[0]): AsyncGenerator<string> {
  yield* fragmentsOf(reply);
}

function runTool(name: string, args: unknown, conversation: Conversation, { tool }: Setup): string {
  if (name.startsWith("transfer_to_")) {
    conversation.agent = name.slice("transfer_to_".length);
    return `The conversation is now with ${conversation.agent}.`;
  }
  if (tool?.name !== name) return `There is no tool "${name}".`;
  const parsed = tool.schema.safeParse(args);
  return parsed.success ? tool.execute(parsed.data) : `Wrong arguments: ${parsed.error.message}`;
}

interface Database {
  exec(sql: string): void;
  prepare(sql: string): { run(...values: unknown[]): unknown };
  close(): void;
}

function openStore(path: string): Store {
  const Libsql = createRequire(import.meta.url)("libsql") as new (path: string) => Database;
  const database = new Libsql(path);
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
  database.exec("CREATE TABLE messages (session TEXT, no INTEGER, message TEXT, PRIMARY KEY (session, no)) WITHOUT ROWID");
  database.exec("CREATE TABLE agents (session TEXT PRIMARY KEY, agent TEXT) WITHOUT ROWID");
  const addMessage = database.prepare("INSERT INTO messages VALUES (?, ?, ?)");
  const setAgent = database.prepare("INSERT INTO agents VALUES (?, ?) ON CONFLICT DO UPDATE SET agent = excluded.agent");
  return {
    append(session, { messages, agent }, from) {
      database.exec("BEGIN IMMEDIATE");
      for (let no = from; no < messages.length; no++) addMessage.run(session, no, JSON.stringify(messages[no]));
      setAgent.run(session, agent);
      database.exec("COMMIT");
    },
    close() {
      database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
      database.close();
    },
  };
}
