import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, vi } from "vitest";
import { Books } from "../books.ts";
import { type CliOptions, type Ended, flower, newFolder, type Running, startFlower } from "../cli.ts";
import type { View } from "../model-server.ts";
import { pidIn } from "../processes.ts";
import { BadNetwork } from "./bad-network.ts";
import { REQUEST } from "./plan.ts";
import { busy, isTakingOver, isWriting, nextNumber, replyTo } from "./script.ts";
import { type SoakAnswer, serveWire, type WireModel } from "./wire-model.ts";

/** What happens while the model is asked, once; nothing else goes on in the run meanwhile. */
export type Happening = (view: View) => Answer | Promise<Answer>;

/** Nothing: the model answers as ever. */
type Answer = SoakAnswer | undefined;

const PATIENCE = { timeout: 60_000, interval: 20 };
const WINDOW = 22_000;

/** One job in a folder of its own, driven through the command line over a network that can fail. */
export class SoakJob {
  readonly folder: string;
  /** A bare repository beside the folder. */
  readonly published: string;
  readonly books: Books;
  readonly model: WireModel;
  readonly network: BadNetwork;
  /** Every process that was started for the run, oldest first. */
  readonly processes: Running[] = [];
  readonly #happenings: Map<string, Happening>;
  #generation = 1;

  private constructor(place: Pick<SoakJob, "folder" | "published" | "model" | "network">, happenings: Map<string, Happening>) {
    this.folder = place.folder;
    this.published = place.published;
    this.model = place.model;
    this.network = place.network;
    this.books = new Books(place.folder);
    this.#happenings = happenings;
  }

  static async begin(): Promise<SoakJob> {
    const [folder, published] = [await newFolder(), await newFolder()];
    makeRepository(folder, published);
    const happenings = new Map<string, Happening>();
    const answer: { by?: SoakJob } = {};
    const model = await serveWire((view) => (answer.by as SoakJob).#answer(view)); // set before anything is sent
    const network = await BadNetwork.to(model.url);
    answer.by = new SoakJob({ folder, published, model, network }, happenings);
    return answer.by;
  }

  get options(): CliOptions {
    const openai = { FLOWER_MODEL: "openai/gpt-4o", OPENAI_BASE_URL: this.network.url, OPENAI_API_KEY: "key-0123456789" };
    return { cwd: this.folder, env: { ...openai, FLOWER_PROBE_MS: "20" } };
  }

  /** `n:17`: the worker is about to append 17. `writing:2`, `over:3`: the session of that generation writes its document, takes over. */
  at(moment: string, happening: Happening): void {
    this.#happenings.set(moment, happening);
  }

  /** The moments that never came. */
  get missed(): readonly string[] {
    return [...this.#happenings.keys()];
  }

  async start(...args: readonly string[]): Promise<Running> {
    const running = await startFlower([REQUEST, "--window", String(WINDOW), ...args], this.options);
    this.processes.push(running);
    return running;
  }

  /** Another process that speaks to the run. */
  readonly tell = async (...args: readonly string[]): Promise<Ended> => {
    const ended = await flower(args, this.options);
    expect(ended, ended.stderr).toMatchObject({ code: 0 });
    return ended;
  };

  /** Kills the process that runs the job. What the model was about to say is heard by nobody. */
  async kill(view: View): Promise<SoakAnswer> {
    await this.processes.at(-1)?.kill();
    return { reply: replyTo(view), delivered: false };
  }

  /** Has a command begin that is under way when the process is killed. */
  killInCommand(): SoakAnswer {
    const path = join(this.folder, "busy.pid");
    void pidIn(path)
      .then(() => rm(path))
      .then(() => this.processes.at(-1)?.kill());
    return { reply: busy(), delivered: true };
  }

  /** The answer to this request breaks off. */
  breakOff(view: View, kind: "reset" | "silence"): SoakAnswer {
    this.network.breakOff(kind);
    return { reply: replyTo(view), delivered: false };
  }

  /** No network, until the run has noticed it. */
  async outage(view: View): Promise<SoakAnswer> {
    await this.cutOff();
    return { reply: replyTo(view), delivered: false };
  }

  /** The same, with no request under way. */
  async cutOff(): Promise<void> {
    const before = await this.#offline();
    await this.network.down();
    void vi.waitFor(async () => expect(await this.#offline()).toBeGreaterThan(before), PATIENCE).then(() => this.network.up());
  }

  async #offline(): Promise<number> {
    const runs = await this.books.runs();
    const retries = await Promise.all(runs.map((run) => this.books.payloads("retry", run)));
    return retries.flat().filter((retry) => retry.reason === "offline").length;
  }

  async #answer(view: View): Promise<SoakAnswer> {
    if (isTakingOver(view)) this.#generation++;
    const moment = this.#momentOf(view);
    const happening = moment === undefined ? undefined : this.#happenings.get(moment);
    if (moment !== undefined) this.#happenings.delete(moment);
    return (await happening?.(view)) ?? { reply: replyTo(view), delivered: true };
  }

  #momentOf(view: View): string | undefined {
    if (isWriting(view)) return `writing:${this.#generation}`;
    if (isTakingOver(view)) return `over:${this.#generation}`;
    const number = nextNumber(view);
    return number === undefined ? undefined : `n:${number}`;
  }
}

/** The workspace is a repository with a remote, as a person would have it. */
function makeRepository(folder: string, published: string): void {
  const git = (...args: readonly string[]) => execFileSync("git", args, { cwd: folder, stdio: "ignore" });
  execFileSync("git", ["init", "-q", "--bare", published], { stdio: "ignore" });
  git("init", "-q");
  for (const [key, value] of [
    ["user.name", "A person"],
    ["user.email", "person@example.com"],
    ["gc.auto", "0"],
  ] as const)
    git("config", key, value);
  git("remote", "add", "origin", published);
  mkdirSync(join(folder, "parts"));
  writeFileSync(join(folder, "ledger.md"), "total 0\n");
  git("add", "-A");
  git("commit", "-qm", "begin");
}
