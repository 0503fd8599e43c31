import { readFileSync } from "node:fs";
import { Command, InvalidArgumentError } from "commander";
import { FlowerError } from "../core/errors.ts";
import { isRecord, parseJson } from "../core/json.ts";
import { translator } from "../i18n/catalogue.ts";
import { addContextOptions, type ContextOptions } from "./context-options.ts";
import { controlCommands } from "./control-commands.ts";
import { languageOption } from "./language-option.ts";
import { mcpOption } from "./mcp.ts";
import { nearCommand } from "./near-command.ts";
import { languageFrom } from "./report-failure.ts";
import { backendOption } from "./voice.ts";

/** What every command takes. */
export interface GlobalOptions {
  readonly workspace: string;
  readonly runDir: string;
  readonly verbose: boolean;
  readonly json: boolean;
  readonly color: boolean;
  readonly lang?: string;
  readonly model?: string;
  /** US dollars. */
  readonly budget?: number;
  /** Seconds that a question waits; ≤ 0: nobody is there. */
  readonly timeout?: number;
}

export interface GoOptions extends GlobalOptions, ContextOptions {
  readonly backend: string;
  readonly asks: number;
  readonly rounds: number;
  readonly goal: boolean;
  readonly judgeCanRun: boolean;
  readonly runChecks: boolean;
  readonly park: boolean;
  readonly new: boolean;
  readonly clarifyOnly: boolean;
  readonly coordinate: boolean;
  readonly mcp?: string;
}

export interface RunOptions extends GlobalOptions, ContextOptions {
  readonly backend: string;
  readonly asks?: number;
  readonly park: boolean;
  readonly new: boolean;
}

export interface OnceOptions extends GlobalOptions, ContextOptions {
  readonly backend: string;
  readonly instructions?: string;
  readonly tools?: string;
  readonly mcp?: string;
}

export interface ChatOptions {
  readonly color: boolean;
  readonly verbose: boolean;
  readonly lang?: string;
  readonly model?: string;
  readonly engine?: string;
  readonly db?: string;
  readonly session: string;
}

const PARK = "when nobody makes a decision that only you can make, end with exit code 3; the next start asks again";
const NEW = "put the earlier run of this folder into the archive and begin anew";

/** The command line. Every command's code is loaded only when it is run. */
export function buildProgram(): Command {
  const program = new Command("flower")
    .description(
      "Hands a whole job to an agent: it asks what is unclear, works on real files, and an independent judge says when it is done.",
    )
    .version(version(), "--version")
    .argument("[request...]", "what is to be done; without it the last request in this folder goes on")
    .showHelpAfterError("(flower --help shows all options)")
    .exitOverride();
  addGoOptions(addShared(program)).action(async (request: string[], options: GoOptions) => {
    refuseMistyped(request, program, options);
    const { go } = await import("./commands/go.ts");
    process.exitCode = await go(toRequest(request), options);
  });
  program.addCommand(goCommand());
  program.addCommand(runCommand());
  program.addCommand(onceCommand());
  program.addCommand(chatCommand());
  program.addCommand(demoCommand());
  for (const command of controlCommands(optionsOf)) program.addCommand(command);
  return program;
}

/** A mistyped command would be a job, and cost money. */
function refuseMistyped(words: readonly string[], program: Command, { lang }: GoOptions): void {
  const names = ["help", ...program.commands.map((command) => command.name())];
  const command = nearCommand(words, names);
  if (command === undefined) return;
  const t = translator(languageFrom(lang, process.env));
  throw new FlowerError("bad-input", t("cli.mistyped", { command, words: words.join(" ") }));
}

function version(): string {
  const own = parseJson(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
  return isRecord(own) ? String(own["version"]) : "?";
}

function goCommand(): Command {
  const command = new Command("go")
    .description("the same, for a request that begins with a command's name")
    .argument("[request...]")
    .exitOverride();
  return addGoOptions(addShared(command)).action(async (request: string[], _own: GoOptions, self: Command) => {
    const { go } = await import("./commands/go.ts");
    process.exitCode = await go(toRequest(request), optionsOf<GoOptions>(self));
  });
}

function runCommand(): Command {
  const command = new Command("run")
    .description("runs a workflow of your own: what file.ts (or file.ts:export) exports, a Workflow or a function that makes one")
    .argument("<file>")
    .argument("[request...]", "what is to be done; without it the last request goes on")
    .exitOverride();
  return addContextOptions(addShared(command))
    .addOption(backendOption())
    .option("--asks <n>", "questions the agents may ask; -1: any number (default -1)", parseAsks)
    .option("--park", PARK, false)
    .option("--new", NEW, false)
    .action(async (file: string, request: string[], _own: RunOptions, self: Command) => {
      const { run } = await import("./commands/run.ts");
      process.exitCode = await run(file, toRequest(request), optionsOf<RunOptions>(self));
    });
}

function onceCommand(): Command {
  const command = new Command("once")
    .description("runs one agent once, without clarifying, goal or judge")
    .argument("<prompt...>")
    .exitOverride();
  return addContextOptions(addShared(command))
    .addOption(backendOption())
    .addOption(mcpOption())
    .option("-i, --instructions <text>", "what the agent is told beside its rules")
    .option(
      "-t, --tools <names>",
      "built-in tools, separated by commas",
      "Read,Write,Edit,Bash,BashOutput,KillShell,Glob,Grep,WebFetch,TodoWrite",
    )
    .action(async (prompt: string[], _own: OnceOptions, self: Command) => {
      const { once } = await import("./commands/once.ts");
      process.exitCode = await once(prompt.join(" "), optionsOf<OnceOptions>(self));
    });
}

function chatCommand(): Command {
  const command = new Command("chat")
    .description("talks to an agent, or to the agents of a file of yours (file.ts or file.ts:export)")
    .argument("[file]")
    .exitOverride();
  return addPlain(command)
    .option("--engine <provider>", "a provider with its default model, e.g. ollama")
    .option("--db <file>", "keep the conversation in this SQLite file")
    .option("--session <id>", "which conversation of the file", "chat")
    .action(async (file: string | undefined, _own: ChatOptions, self: Command) => {
      const { chat } = await import("./commands/chat.ts");
      process.exitCode = await chat(file, optionsOf<ChatOptions>(self));
    });
}

function demoCommand(): Command {
  const command = new Command("demo")
    .description("shows a whole run without a key and without a network: a scripted model does a real small job in a new folder")
    .exitOverride();
  return addShared(command).action(async (_own: GlobalOptions, self: Command) => {
    const { demo } = await import("./commands/demo.ts");
    process.exitCode = await demo(optionsOf<GlobalOptions>(self));
  });
}

function addPlain(command: Command): Command {
  return command
    .option("-v, --verbose", "show thinking, prompts and results too", false)
    .option("--no-color", "no colours")
    .addOption(languageOption())
    .option("--model <provider/model>", "default from FLOWER_MODEL, then the first provider with a key");
}

function addShared(command: Command): Command {
  return addPlain(command)
    .option("-w, --workspace <folder>", "the folder to work in", ".")
    .option("-r, --run-dir <folder>", "where the books are kept, from the workspace", "runs")
    .option("--json", "print the event log's lines instead of text", false)
    .option("--budget <usd>", "make no call that could exceed this cost", parsePositive)
    .option(
      "--timeout <seconds>",
      "how long a question waits for you; 0: nobody is there (default 1800 on a terminal, else 0)",
      parseNumber,
    );
}

function addGoOptions(command: Command): Command {
  return addContextOptions(command)
    .addOption(backendOption())
    .addOption(mcpOption())
    .option("--coordinate", "let a coordinator split the work and hand it to several workers", false)
    .option("--asks <n>", "questions the agent may ask; -1: any number", parseAsks, -1)
    .option("--rounds <n>", "rounds of work, the first included", parseRounds, 3)
    .option("--no-goal", "no goal and no judge: done when the worker says so")
    .option("--judge-can-run", "let the judge run commands", false)
    .option("--no-run-checks", "do not run the goal's commands")
    .option("--park", PARK, false)
    .option("--new", NEW, false)
    .option("--clarify-only", "stop when the brief is written", false);
}

/** Options may stand before or after the command's name; what was typed anywhere goes before any default. */
function optionsOf<T>(command: Command): T {
  const merged: Record<string, unknown> = { ...command.opts() };
  const parent = command.parent;
  for (const [name, value] of Object.entries(parent?.opts() ?? {})) {
    if (parent?.getOptionValueSource(name) !== "cli") continue;
    const option = parent.options.find((each) => each.attributeName() === name);
    if (!(name in merged) && !command.options.some((each) => each.attributeName() === name))
      command.error(`error: ${option?.long} has no effect on flower ${command.name()}`);
    if (command.getOptionValueSource(name) !== "cli") merged[name] = value;
  }
  return merged as T;
}

function toRequest(words: readonly string[]): string | undefined {
  const text = words.join(" ").trim();
  return text === "" ? undefined : text;
}

function parseNumber(text: string): number {
  const value = Number(text);
  if (text.trim() === "" || !Number.isFinite(value)) throw new InvalidArgumentError("It must be a number.");
  return value;
}

function parsePositive(text: string): number {
  const value = parseNumber(text);
  if (value <= 0) throw new InvalidArgumentError("It must be more than 0.");
  return value;
}

function parseAsks(text: string): number {
  const value = parseNumber(text);
  if (!Number.isInteger(value) || value < -1)
    throw new InvalidArgumentError("It must be a whole number: -1 for any number, 0 for none, or more.");
  return value;
}

function parseRounds(text: string): number {
  const value = parseNumber(text);
  if (!Number.isInteger(value) || value < 1) throw new InvalidArgumentError("The first round of work counts, so it must be 1 or more.");
  return value;
}
