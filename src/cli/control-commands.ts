import { Command } from "commander";
import type { DocumentOptions } from "./commands/document.ts";
import type { LogOptions } from "./commands/log.ts";
import type { PlaceOptions } from "./control-place.ts";
import { languageOption } from "./language-option.ts";

/** Gives a command's options together with those that were typed before its name. */
type OptionsOf = <T>(command: Command) => T;

/** The commands that act on the run of this folder from another terminal. */
export function controlCommands(optionsOf: OptionsOf): readonly Command[] {
  return [
    statusCommand(optionsOf),
    logCommand(optionsOf),
    answerCommand(optionsOf),
    sayCommand(optionsOf),
    interruptCommand(optionsOf),
    oracleCommand(optionsOf),
    abortCommand(optionsOf),
    documentCommand("goal", "shows the goal of this folder with its checks", optionsOf),
    documentCommand("brief", "shows the brief of this folder", optionsOf),
  ];
}

function statusCommand(optionsOf: OptionsOf): Command {
  return command("status", "says where the run in this folder is, and which questions wait").action(
    async (_own: PlaceOptions, self: Command) => {
      const { status } = await import("./commands/status.ts");
      process.exitCode = await status(optionsOf<PlaceOptions>(self));
    },
  );
}

function logCommand(optionsOf: OptionsOf): Command {
  return command("log", "prints what happened in the run of this folder, and in those it goes on from")
    .option("-f, --follow", "go on until the run ends", false)
    .action(async (_own: LogOptions, self: Command) => {
      const { log } = await import("./commands/log.ts");
      process.exitCode = await log(optionsOf<LogOptions>(self));
    });
}

function answerCommand(optionsOf: OptionsOf): Command {
  return command("answer", "answers a question of the run in this folder; a number picks an option")
    .argument("<id>", "the question, e.g. q1")
    .argument("<text...>")
    .action(async (id: string, words: string[], _own: PlaceOptions, self: Command) => {
      const { answer } = await import("./commands/answer.ts");
      process.exitCode = await answer(id, words.join(" "), optionsOf<PlaceOptions>(self));
    });
}

function sayCommand(optionsOf: OptionsOf): Command {
  return command("say", "sends a message to the run in this folder; the agent reads it at its next checkpoint")
    .argument("<text...>")
    .action(async (words: string[], _own: PlaceOptions, self: Command) => {
      const { say } = await import("./commands/say.ts");
      process.exitCode = await say(words.join(" "), optionsOf<PlaceOptions>(self));
    });
}

function interruptCommand(optionsOf: OptionsOf): Command {
  return command("interrupt", "stops the agent at its next message and tells it this; without words it just stops for a moment")
    .argument("[text...]")
    .action(async (words: string[], _own: PlaceOptions, self: Command) => {
      const { interrupt } = await import("./commands/interrupt.ts");
      process.exitCode = await interrupt(words.join(" "), optionsOf<PlaceOptions>(self));
    });
}

function oracleCommand(optionsOf: OptionsOf): Command {
  return command("oracle", "asks about the run in this folder on the side; the run does not notice")
    .argument("<question...>")
    .action(async (words: string[], _own: PlaceOptions, self: Command) => {
      const { oracle } = await import("./commands/oracle.ts");
      process.exitCode = await oracle(words.join(" "), optionsOf<PlaceOptions>(self));
    });
}

function abortCommand(optionsOf: OptionsOf): Command {
  return command("abort", "ends the run in this folder, books closed; the next start goes on")
    .argument("[reason...]")
    .action(async (words: string[], _own: PlaceOptions, self: Command) => {
      const { abort } = await import("./commands/abort.ts");
      process.exitCode = await abort(words.join(" "), optionsOf<PlaceOptions>(self));
    });
}

function documentCommand(name: "goal" | "brief", description: string, optionsOf: OptionsOf): Command {
  return command(name, description)
    .option("--edit", "open it in $VISUAL or $EDITOR; it is saved when it is complete", false)
    .action(async (_own: DocumentOptions, self: Command) => {
      const { document } = await import("./commands/document.ts");
      const { BRIEF, GOAL } = await import("./documents/document-kind.ts");
      process.exitCode = await document(name === "goal" ? GOAL : BRIEF, optionsOf<DocumentOptions>(self));
    });
}

function command(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .exitOverride()
    .option("-w, --workspace <folder>", "the folder that the run works in", ".")
    .option("-r, --run-dir <folder>", "where its books are kept, from the workspace", "runs")
    .option("--json", "print JSON instead of text", false)
    .option("-v, --verbose", "show more; on an error the stack", false)
    .option("--no-color", "no colours")
    .addOption(languageOption());
}
