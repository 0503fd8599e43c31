import type { ErrorCode } from "../core/errors.ts";
import type { ErrorFacts } from "./error-facts.ts";

interface Rule {
  readonly code: ErrorCode;
  readonly matches: (facts: ErrorFacts, streaming: boolean) => boolean;
}

const status =
  (...statuses: readonly number[]) =>
  (facts: ErrorFacts) =>
    facts.status !== undefined && statuses.includes(facts.status);

const says = (pattern: RegExp) => (facts: ErrorFacts) => pattern.test(facts.text);

const either =
  (...tests: readonly Rule["matches"][]) =>
  (facts: ErrorFacts, streaming: boolean) =>
    tests.some((test) => test(facts, streaming));

const TOO_LONG =
  /context_length_exceeded|maximum context length|prompt is too long|input is too long|too many (input )?tokens|input token count.{0,40}exceeds|exceeds? the (model's |available )?(maximum )?(context|number of tokens)|context (window|size|length).{0,40}exceed|exceed.{0,60}context (window|size|length|limit)|request_too_large/;

const OUT_OF_MONEY =
  /insufficient_quota|credit balance|billing_(hard_limit|not_active|error)|billing hard limit|insufficient (balance|credits|funds)|payment required|perday/;

const WITHHELD =
  /content_filter|content_policy_violation|content management policy|responsible_?ai|content filtering policy|prohibited_content|invalid_prompt|flagged (as|for) /;

const BAD_KEY = /api_key_invalid|api key not valid|invalid_api_key|authentication_error|permission_error|loadapikeyerror/;

const UNREACHABLE =
  /econnrefused|enotfound|econnreset|econnaborted|etimedout|eai_again|ehostunreach|enetunreach|enetdown|epipe|eproto|fetch failed|cannot connect|und_err_connect|und_err_headers_timeout|und_err_socket|timeouterror|certificate|cert_|self.signed|err_tls|err_ssl|ssl routines|unable to verify|getaddrinfo/;

const CUT =
  /terminated|und_err_|econnreset|epipe|premature|socket hang up|other side closed|econnaborted|without a finish reason|jsonparseerror|typevalidationerror|invalidresponsedata|emptyresponsebody/;

const OVERLOADED =
  /overloaded|server_error|api_error|internal_error|service_unavailable|\bunavailable\b|\binternal\b|timeout_error|processing your request/;

/** What a failure means, first match first. Provider texts are matched here and nowhere else. */
const RULES: readonly Rule[] = [
  { code: "quota", matches: either(status(402), says(OUT_OF_MONEY)) },
  { code: "rate-limited", matches: either(status(429), says(/rate_limit|rate limit|resource_exhausted|too_many_requests/)) },
  { code: "context-overflow", matches: either(status(413), says(TOO_LONG)) },
  { code: "content-filter", matches: says(WITHHELD) },
  { code: "auth", matches: either(status(401, 403), says(BAD_KEY)) },
  { code: "overloaded", matches: either((facts) => facts.status !== undefined && facts.status >= 500, status(408, 409, 425)) },
  { code: "bad-request", matches: (facts) => facts.status !== undefined },
  { code: "stream-cut", matches: (facts, streaming) => streaming && CUT.test(facts.text) },
  { code: "offline", matches: says(UNREACHABLE) },
  { code: "stream-cut", matches: says(CUT) },
  { code: "overloaded", matches: says(OVERLOADED) },
  {
    code: "bad-request",
    matches: says(/invalid_request|invalid_argument|invalidprompt|invalidargument|unsupportedfunctionality|not_found/),
  },
];

/** The code of a failure; `unknown` when nothing is recognised. */
export function codeOf(facts: ErrorFacts, streaming: boolean): ErrorCode {
  return RULES.find((rule) => rule.matches(facts, streaming))?.code ?? "unknown";
}
