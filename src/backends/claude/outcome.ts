import { FlowerError } from "../../core/errors.ts";
import { toJson } from "../../core/json.ts";
import type { BackendOutcome } from "../backend.ts";
import { failureCode } from "./failure.ts";
import { resultCode, resultText } from "./notices.ts";
import type { ReplyReader } from "./reply-reader.ts";

/** How a query ended that nobody stopped, by the CLI's `result`. Throws for a failure. `withheld`: its tools were used up. */
export function toOutcome(
  result: Readonly<Record<string, unknown>>,
  { text, failure }: Pick<ReplyReader, "text" | "failure">,
  withheld: boolean,
): BackendOutcome {
  const said = resultText(result);
  if (result["is_error"] !== true) {
    const structured = result["structured_output"];
    const answer = structured === undefined ? said || text : JSON.stringify(toJson(structured));
    return { kind: withheld ? "iteration-limit" : "done", text: answer };
  }
  const byResult = resultCode(result, said);
  const code = byResult === "unknown" && failure ? failureCode(failure) : byResult;
  if (code === "iteration-limit") return { kind: "iteration-limit", text };
  if (code === "budget") return { kind: "budget", text: "", reason: said };
  throw new FlowerError(code, said || "The Claude CLI reported an error without saying which.");
}
