/**
 * Calls that a rule or a person let leave the roots. The permission guard writes here, the file tools read: a tool on its own
 * never touches a path outside, even when no guard stands before it.
 */
export class Grants {
  readonly #calls = new Set<string>();

  add(call: GrantedCall): void {
    this.#calls.add(keyOf(call));
  }

  has(call: GrantedCall): boolean {
    return this.#calls.has(keyOf(call));
  }

  delete(call: GrantedCall): void {
    this.#calls.delete(keyOf(call));
  }
}

/** Call ids are unique in their session. */
export interface GrantedCall {
  readonly sessionId: string;
  readonly callId: string;
}

function keyOf(call: GrantedCall): string {
  return `${call.sessionId}\n${call.callId}`;
}
