import { FlowerError } from "../core/errors.ts";

export function sessionBusy(sessionId: string): FlowerError {
  return new FlowerError("session-busy", `Session "${sessionId}" is in use by another turn. Wait for it (onBusy: "queue") or try later.`, {
    details: { sessionId },
    retryable: true,
  });
}

export function leaseLost(sessionId: string, why: string): FlowerError {
  return new FlowerError("lease-lost", `The lease of session "${sessionId}" is gone: ${why}. Nothing was written; open it again.`, {
    details: { sessionId },
  });
}

export function storeClosed(): FlowerError {
  return new FlowerError("bad-input", "The session store is closed. Make a new one.");
}

export function noTurn(sessionId: string, action: string): FlowerError {
  return new FlowerError("bad-input", `Session "${sessionId}" has no open turn to ${action}. Call begin first.`, {
    details: { sessionId },
  });
}

export function turnIsOpen(sessionId: string, open: string, wanted: string): FlowerError {
  const advice = "Commit it with end, roll it back, or continue it under its own id";
  return new FlowerError("bad-input", `Session "${sessionId}" cannot begin turn ${wanted}: turn ${open} is still open. ${advice}.`, {
    details: { sessionId, open, wanted },
  });
}

export function turnExists(sessionId: string, turnId: string): FlowerError {
  return new FlowerError("bad-input", `Session "${sessionId}" already had a turn ${turnId}. Give every turn a new id.`, {
    details: { sessionId, turnId },
  });
}

export function sessionMissing(sessionId: string, what = "no committed history"): FlowerError {
  return new FlowerError("not-found", `Session "${sessionId}" has ${what}.`, { details: { sessionId } });
}

export function sessionExists(sessionId: string): FlowerError {
  return new FlowerError("bad-input", `Session "${sessionId}" already exists; fork into a new id, or delete it first.`, {
    details: { sessionId },
  });
}
