/** Variables by name, as in `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

const CREDENTIAL_NAME =
  /(?:^|_)(?:KEYS?|PASS|PWD|PAT|AUTH)(?:_|$)|(?:API|ACCESS|PRIVATE|SECRET|ENCRYPTION|SIGNING)_?KEY|TOKENS?(?:_|$)|SECRET|PASSWORD|PASSWD|PASSPHRASE|SSHPASS|CREDENTIAL/i;
const NOT_CREDENTIALS: ReadonlySet<string> = new Set(["PWD", "OLDPWD"]);
/** `scheme://user:password@host`. */
const CREDENTIAL_IN_URL = /^[a-z][\w+.-]*:\/\/[^/\s@]*:[^/\s@]+@/i;

/** True when a variable looks like a credential, by its name or because its value is a URL with a password. */
export function isCredential(name: string, value: string): boolean {
  if (NOT_CREDENTIALS.has(name)) return false;
  return CREDENTIAL_NAME.test(name) || CREDENTIAL_IN_URL.test(value);
}

/** Keeps programs from waiting for somebody at a terminal. */
const NON_INTERACTIVE = {
  CI: "1",
  TERM: "dumb",
  NO_COLOR: "1",
  PAGER: "cat",
  GIT_PAGER: "cat",
  GIT_TERMINAL_PROMPT: "0",
  GIT_EDITOR: "true",
  EDITOR: "true",
  DEBIAN_FRONTEND: "noninteractive",
  PIP_NO_INPUT: "1",
  npm_config_yes: "true",
  npm_config_fund: "false",
} as const;

/** The environment of a command: what was inherited without credentials (`pass` names exceptions), set to non-interactive. */
export function commandEnvironment(inherited: Environment, pass: readonly string[] = []): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(inherited)) {
    if (value !== undefined && (pass.includes(name) || !isCredential(name, value))) env[name] = value;
  }
  return { ...env, ...NON_INTERACTIVE };
}
