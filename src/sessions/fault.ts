/**
 * The points at which a store can be made to fail, in tests: before and after every write, and `inside` where a write has several
 * parts and a death between them must leave nothing behind.
 */
export const FAULT_POINTS = [
  "open:before",
  "open:after",
  "begin:before",
  "begin:inside",
  "begin:after",
  "append:before",
  "append:inside",
  "append:after",
  "commit:before",
  "commit:inside",
  "commit:after",
  "rollback:before",
  "rollback:inside",
  "rollback:after",
  "pause:before",
  "pause:inside",
  "pause:after",
  "release:before",
  "release:after",
  "delete:before",
  "delete:inside",
  "delete:after",
  "fork:before",
  "fork:inside",
  "fork:after",
] as const;

export type FaultPoint = (typeof FAULT_POINTS)[number];

/** Called at each point with its name. What it throws is thrown by the store's call; killing the process there simulates a death. */
export type FaultHook = (point: FaultPoint) => void;
