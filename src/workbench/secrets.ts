import { toJson } from "../core/json.ts";
import { type Event, type EventKind, type EventPayloads, makeEvent } from "../messages/event.ts";

/** What stands where a secret was. */
const MASK = "[secret]";

/**
 * What a secret may begin behind: nothing that belongs to a longer word, but also a JSON escape (`\n`) or the end of a
 * colour code, since this is applied to JSON lines. Written as a look-behind after the prefix, which keeps scanning fast.
 */
const begins = (prefix: string) => `${prefix}(?<=(?:^|[^A-Za-z0-9_]|\\\\[bfnrt]|\\[[0-9;]{0,12}m)${prefix})`;

/** Each is replaced as a whole. None matches a quote, or a backslash that escapes one, so JSON stays JSON. */
const TOKENS = [
  `${begins("sk-")}[A-Za-z0-9_-]{16,}`,
  `${begins("AIza")}[A-Za-z0-9_-]{30,}`,
  `${begins("gh[pousr]_")}[A-Za-z0-9]{20,}`,
  `${begins("github_pat_")}[A-Za-z0-9_]{20,}`,
  `${begins("xox[abeoprs]-")}[A-Za-z0-9-]{10,}`,
  `${begins("A[KS]IA")}[A-Z0-9]{16}(?![A-Za-z0-9])`,
  `${begins("eyJ")}[A-Za-z0-9_-]{10,}\\.eyJ[A-Za-z0-9_-]{10,}\\.[A-Za-z0-9_-]+`,
  "-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----(?:[A-Za-z0-9+/=\\s:,.]|-(?!----)|\\\\+[nr]){0,20000}(?:-----END [A-Z ]{0,40}PRIVATE KEY-----)?",
];

/** Known by what stands before them, which stays. */
const MARKED = [
  "(\\bBearer\\s{1,4})[A-Za-z0-9._~+/=-]{16,}",
  "([?&;](?:password|passwd|pwd|(?:access_|refresh_|id_)?token|api[_-]?key|key|(?:client_)?secret|sig|signature)=)[^&;#\\s\"'<>\\\\]+",
  '(://[^\\s/:@"\\\\]{0,100}:)[^\\s/@"\\\\]{1,200}(?=@)',
  "((?:API_KEY|TOKEN|SECRET|PASSWORD|SECRET_ACCESS_KEY)=)[^\\s\"'\\\\]{8,}",
];

const ALL_TOKENS = new RegExp(TOKENS.join("|"), "g");
const ALL_MARKED = new RegExp(MARKED.join("|"), "g");
/** Every secret contains one of these: most texts are done after this one look. */
const TOKEN_HINT = /sk-|AIza|gh[pousr]_|github_pat_|xox[abeoprs]-|A[KS]IA|eyJ|PRIVATE KEY/;
const MARKED_HINT = /Bearer|(?:password|passwd|pwd|token|key|secret|sig|signature|KEY|TOKEN|SECRET|PASSWORD)=|:\/\//;

/**
 * The text with keys, tokens, passwords in URLs and private keys replaced by a mask. A text that is JSON stays JSON of
 * the same shape. Masking what is masked changes nothing.
 */
export function maskSecrets(text: string): string {
  const tokens = TOKEN_HINT.test(text) ? text.replace(ALL_TOKENS, MASK) : text;
  return MARKED_HINT.test(tokens) ? tokens.replace(ALL_MARKED, keepMark) : tokens;
}

function keepMark(...match: unknown[]): string {
  const mark = match.slice(1, 1 + MARKED.length).find((group) => group !== undefined);
  return `${String(mark)}${MASK}`;
}

/** The event with what is secret in its text and payload masked; the same event when nothing is. `raw` stays what it is. */
export function maskEvent(event: Event): Event {
  const { kind, tool, raw } = event;
  const plain = toText([event.text, event.payload]);
  const masked = maskSecrets(plain);
  if (masked === plain) return event;
  const [text, payload] = JSON.parse(masked) as [string, EventPayloads[EventKind]]; // masking keeps the shape
  return makeEvent(kind, text, payload, { tool, raw }) as Event;
}

function toText(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    return JSON.stringify(toJson(value));
  }
}
