import type { ErrorCode } from "../../core/errors.ts";

/** What is known of a failure that the CLI reports. */
export interface FailureFacts {
  /** The SDK's own word for it: `rate_limit`, `billing_error` … */
  readonly flag?: string;
  /** HTTP status of the model call. */
  readonly status?: number;
  /** Why the CLI's loop ended. */
  readonly terminal?: string;
  readonly text: string;
}

interface Rule {
  readonly code: ErrorCode;
  readonly flags?: readonly string[];
  readonly statuses?: readonly number[];
  readonly text?: RegExp;
}

/** First match wins. Texts are the CLI's, of which only the telling words are matched. */
const RULES: readonly Rule[] = [
  { code: "context-overflow", text: /prompt is too long|context (?:window|length) (?:is )?exceeded|conversation is too long/i },
  { code: "quota", flags: ["billing_error"], text: /credit balance|usage limit|hit your .{0,20}limit|out of extra usage/i },
  {
    code: "auth",
    flags: ["authentication_failed", "oauth_org_not_allowed", "account_on_hold", "verification_required", "cloud_credential_error"],
    statuses: [401, 403],
    text: /invalid api key|not logged in|please run \/login|oauth token/i,
  },
  { code: "rate-limited", flags: ["rate_limit"], statuses: [429] },
  { code: "overloaded", flags: ["overloaded"], statuses: [500, 502, 503, 504, 529], text: /overloaded/i },
  { code: "stream-cut", text: /mid-(?:response|stream)|stream (?:ended|closed|stalled|idle)|response (?:was )?(?:cut|incomplete)/i },
  {
    code: "offline",
    flags: ["connection_failed"],
    text: /connection|connect to|ECONN|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|timed out|fetch failed|socket|network/i,
  },
  { code: "overloaded", flags: ["server_error"] },
  { code: "bad-request", flags: ["invalid_request", "model_not_found", "max_output_tokens"], statuses: [400, 404, 413, 422] },
  { code: "not-found", text: /no conversation found/i },
  { code: "bad-config", text: /native (?:cli )?binary|executable not found|ENOENT/i },
];

/** Our code for what went wrong; `unknown` when nothing tells. */
export function failureCode(facts: FailureFacts): ErrorCode {
  if (facts.terminal === "prompt_too_long" || facts.terminal === "blocking_limit") return "context-overflow";
  return RULES.find((rule) => matches(rule, facts))?.code ?? "unknown";
}

function matches({ flags, statuses, text }: Rule, facts: FailureFacts): boolean {
  if (facts.flag !== undefined && flags?.includes(facts.flag)) return true;
  if (facts.status !== undefined && statuses?.includes(facts.status)) return true;
  return text?.test(facts.text) ?? false;
}
