import { type ClientRequest, request } from "node:http";
import { ERROR_CODES, FlowerError } from "../core/errors.ts";
import { isRecord, type Json, parseJson } from "../core/json.ts";
import type { AmendReceipt } from "../human/mail.ts";
import type { AskView, MailReceipt, OracleReply, RunControl, RunState } from "./run-control.ts";

/** A run in another process of this machine, reached through its socket. When that cannot be reached, calls throw `offline`. */
export class RemoteRun implements RunControl {
  readonly id: string;
  readonly #socket: string;

  constructor(id: string, socket: string) {
    this.id = id;
    this.#socket = socket;
  }

  async state(): Promise<RunState> {
    return (await this.#call("GET", "")) as unknown as RunState; // our own program answers
  }

  async asks(): Promise<readonly AskView[]> {
    const { asks } = (await this.#call("GET", "/asks")) as unknown as { readonly asks: readonly AskView[] };
    return asks;
  }

  async answer(askId: string, text: string): Promise<boolean> {
    return isOk(await this.#call("POST", `/asks/${encodeURIComponent(askId)}/answer`, { text }));
  }

  async decline(askId: string, reason = ""): Promise<boolean> {
    return isOk(await this.#call("POST", `/asks/${encodeURIComponent(askId)}/decline`, { reason }));
  }

  async send(text: string): Promise<MailReceipt> {
    return (await this.#call("POST", "/mail", { text })) as unknown as MailReceipt;
  }

  async interrupt(text = ""): Promise<AmendReceipt> {
    return (await this.#call("POST", "/interrupt", { text })) as unknown as AmendReceipt;
  }

  async oracle(question: string, signal?: AbortSignal): Promise<OracleReply> {
    const answer = await this.#call("POST", "/oracle", { question }, { signal, timeoutMs: ORACLE_TIMEOUT_MS });
    return answer as unknown as OracleReply;
  }

  async abort(reason = ""): Promise<void> {
    await this.#call("POST", "/abort", { reason });
  }

  async #call(method: "GET" | "POST", path: string, body?: Json, patience: Patience = {}): Promise<Json> {
    const options = { socketPath: this.#socket, method, path: `/runs/${encodeURIComponent(this.id)}${path}`, body, ...patience };
    const { status, text } = await ask(options);
    const answer = parseJson(text);
    if (status >= 200 && status < 300 && answer !== undefined) return answer;
    throw toError(answer, status);
  }
}

interface Patience {
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
}

interface Question extends Patience {
  readonly socketPath: string;
  readonly method: string;
  readonly path: string;
  readonly body: Json | undefined;
}

const TIMEOUT_MS = 10_000;
const ORACLE_TIMEOUT_MS = 300_000;

function ask({ body, timeoutMs = TIMEOUT_MS, ...to }: Question): Promise<{ status: number; text: string }> {
  const headers = body === undefined ? {} : { "content-type": "application/json" };
  return new Promise((resolve, reject) => {
    const fail = (cause: unknown) => reject(new FlowerError("offline", "The run cannot be reached.", { cause }));
    const call: ClientRequest = request({ ...to, headers, timeout: timeoutMs, agent: false }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
      response.on("error", fail);
    });
    call.on("timeout", () => call.destroy(new Error(`no answer within ${timeoutMs / 1000} s`)));
    call.on("error", fail);
    call.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

function isOk(answer: Json): boolean {
  return isRecord(answer) && answer["ok"] === true;
}

function toError(answer: Json | undefined, status: number): FlowerError {
  const said = isRecord(answer) ? answer : {};
  const code = ERROR_CODES.find((known) => known === said["code"]) ?? "unknown";
  return new FlowerError(code, typeof said["message"] === "string" ? said["message"] : `The run answered with status ${status}.`);
}
