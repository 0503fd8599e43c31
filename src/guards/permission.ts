import type { PermissionMode, Permissions } from "../agents/agent.ts";
import type { CallPart } from "../messages/message.ts";
import type { Grants } from "../tools/builtin/grants.ts";
import type { Roots } from "../tools/builtin/paths.ts";
import type { CallGuard } from "../tools/call.ts";
import type { ToolContext } from "../tools/tool.ts";
import { type CallFacts, gatherFacts } from "./call-facts.ts";
import { type PermissionQuestion, toPermissionQuestion } from "./permission-question.ts";
import { allowsCall, allowsOutside, allowsShell, catchesCall, namesWholeCommand } from "./permission-rule.ts";

export interface Decision {
  readonly decision: "allow" | "ask" | "deny";
  /** Why, in words that fit behind a colon. */
  readonly reason: string;
  /** The call leaves the roots, and may when it is allowed. */
  readonly leavesRoots: boolean;
}

export interface PermissionGuardOptions extends Roots {
  readonly permissions: Permissions;
  /** Asks a person; "nobody" when none answers. Without it nobody can be asked. */
  readonly ask?: (question: PermissionQuestion, signal: AbortSignal) => Promise<"allow" | "deny" | "nobody">;
  /** Where calls that may leave the roots are noted for the tools; the same object that the built-in tools got. */
  readonly grants?: Grants;
}

/** What works inside the workspace, and looking things up on the web, needs no consent; outside it, and what cannot be taken back, does. */
export const WORKER_PERMISSIONS: Permissions = Object.freeze({
  mode: "acceptEdits",
  allow: Object.freeze(["Bash", "WebFetch"]),
  ask: Object.freeze(
    [
      ...["git push", "git send-email", "git subtree push", "git lfs push", "jj git push", "hg push", "svn commit"],
      ...[
        "npm publish",
        "npm unpublish",
        "npm deprecate",
        "pnpm publish",
        "yarn publish",
        "yarn npm publish",
        "bun publish",
        "cargo publish",
      ],
      ...[
        "cargo yank",
        "gem push",
        "twine upload",
        "poetry publish",
        "uv publish",
        "hatch publish",
        "flit publish",
        "mvn deploy",
        "vsce publish",
      ],
      ...["dotnet nuget push", "semantic-release", "deno publish", "jsr publish", "docker push", "podman push", "helm push"],
      ...["gh release", "gh pr merge", "gh repo delete", "gh workflow run", "glab mr merge"],
      ...["kubectl delete", "kubectl apply", "helm uninstall", "helm upgrade", "helm install"],
      ...["terraform apply", "terraform destroy", "tofu apply", "tofu destroy", "pulumi up", "pulumi destroy"],
      ...[
        "sudo",
        "su",
        "doas",
        "pkexec",
        "run0",
        "dd",
        "mkfs",
        "mkswap",
        "fdisk",
        "parted",
        "wipefs",
        "shutdown",
        "reboot",
        "halt",
        "poweroff",
      ],
      ...["systemctl poweroff", "systemctl reboot", "systemctl halt", "init"],
    ]
      .map((command) => `Bash(${command}:*)`)
      .concat("Bash(mkfs.*)"),
  ),
} as const);

/** Decides about a call: looks at the disk (symlinks) and parses commands first, then decides by {@link decide}. */
export async function decidePermission(call: Pick<CallPart, "name" | "args">, permissions: Permissions, roots: Roots): Promise<Decision> {
  return decide(await gatherFacts(call, roots, { glance: looksOnly(permissions.mode) }), permissions);
}

/**
 * The decision itself, without side effects. Deny rules beat all; `bypassPermissions` leaves only them. Ask rules beat allow
 * rules. A bare tool name does not allow what leaves the roots or cannot be known before it runs; a pattern that names it does.
 */
function decide(facts: CallFacts, permissions: Permissions): Decision {
  const { mode = "default", allow = [], ask = [], deny = [] } = permissions;
  const leavesRoots = facts.paths.some((path) => !path.inside);
  const as = (decision: Decision["decision"], reason: string): Decision => ({ decision, reason, leavesRoots });

  const denied = deny.find((rule) => catchesCall(rule, facts) === "yes");
  if (denied !== undefined) return as("deny", `the rule ${denied} forbids it`);
  if (mode === "bypassPermissions") return as("allow", "nothing is asked in this mode");
  const asked = ask.find((rule) => catchesCall(rule, facts) !== "no") ?? deny.find((rule) => catchesCall(rule, facts) === "maybe");
  if (asked !== undefined) return as("ask", `the rule ${asked} wants a person's consent`);

  if (namesWholeCommand(allow, facts)) return as("allow", "a rule names this command");
  if (leavesRoots && !allowsOutside(allow, facts)) return as("ask", "it is outside the workspace");
  const concern = facts.shell?.concerns[0];
  if (concern !== undefined) return as(looksOnly(mode) ? "deny" : "ask", concern);
  if (isAllowed(allow, facts)) return as("allow", "a rule allows it");
  return byMode(mode, facts, as);
}

function isAllowed(allow: readonly string[], facts: CallFacts): boolean {
  const bare = allow.some((rule) => rule.trim() === facts.tool || rule.trim() === "*");
  if (bare) return true;
  if (facts.shell === undefined) return allow.some((rule) => allowsCall(rule, facts));
  return !facts.shell.redirects && allowsShell(allow, facts);
}

/** Modes in which nothing is changed. */
type Looking = Extract<PermissionMode, "plan" | "delegate">;

function looksOnly(mode: PermissionMode | undefined): mode is Looking {
  return mode === "plan" || mode === "delegate";
}

const ONLY: Readonly<Record<Looking, string>> = {
  plan: "this agent only reads",
  delegate: "this agent hands work on and does none itself",
};

type As = (decision: Decision["decision"], reason: string) => Decision;

function byMode(mode: Exclude<NonNullable<Permissions["mode"]>, "bypassPermissions">, facts: CallFacts, as: As): Decision {
  const { tool } = facts;
  if (tool === "Write" || tool === "Edit") {
    if (mode === "acceptEdits") return as("allow", "edits inside the workspace are accepted");
    return looksOnly(mode) ? as("deny", ONLY[mode]) : as("ask", "it changes a file");
  }
  if (tool === "Bash") {
    if (!looksOnly(mode)) return as("ask", "it runs a command");
    return facts.shell?.isGlance ? as("allow", "it only looks") : as("deny", ONLY[mode]);
  }
  if (tool === "WebFetch") return as("ask", "it fetches a page from the web");
  if (tool.startsWith("mcp__")) return as("ask", "it is a tool of another program");
  // Reading is free, and other tools act for the application that offered them.
  return as("allow", "it needs no permission");
}

/**
 * Lets a call pass when the permissions or a person allow it; otherwise the model reads why, and what to do instead. Of a command
 * it sees what stands in it, in any quoting or nesting; what the programs and scripts it starts do, it cannot see. It keeps an
 * agent from mistakes; it is no sandbox.
 */
export function permissionGuard(options: PermissionGuardOptions): CallGuard {
  return {
    async before(call, context) {
      const decided = await decidePermission(call, options.permissions, options);
      const answer = decided.decision === "ask" ? await askPerson(call, decided, options, context) : decided.decision;
      if (answer !== "allow") return refusalText(call.name, decided, answer, options.permissions.mode);
      if (decided.leavesRoots) options.grants?.add({ sessionId: context.sessionId, callId: call.callId });
      return undefined;
    },
    after(call, outcome, context) {
      options.grants?.delete({ sessionId: context.sessionId, callId: call.callId });
      return outcome;
    },
  };
}

async function askPerson(call: CallPart, decided: Decision, options: PermissionGuardOptions, context: ToolContext) {
  if (!options.ask) return "nobody";
  const key = `${context.sessionId}/${call.callId}/permission`;
  return options.ask(toPermissionQuestion(call, decided.reason, { key, path: context.path }), context.signal);
}

const GLANCES = "Commands that only look, such as ls, cat, grep, git log or git diff, may be run.";

function refusalText(tool: string, decided: Decision, answer: "deny" | "nobody", mode?: PermissionMode): string {
  if (decided.decision === "deny") {
    const glances = looksOnly(mode) && tool === "Bash" ? ` ${GLANCES}` : "";
    if (mode === "delegate") {
      return `"${tool}" was not run, on purpose: ${decided.reason}. Give the task to a subagent with the tool Agent: what is to be done, where, and what to report.${glances}`;
    }
    return `"${tool}" was not run, on purpose: ${decided.reason}. Do not look for another way to the same effect; go on without it, and say in your report what it would have been needed for.${glances}`;
  }
  if (answer === "deny") {
    return `A person refused this call of "${tool}" (${decided.reason}). Do not try it in another form. Go on without it, or ask what to do instead.`;
  }
  return `"${tool}" was not run: ${decided.reason}, so it needs a person's consent, and nobody is there to give it. This is on purpose. Stay inside the workspace and do the rest without it; name in your report what is left for a person to do.`;
}
