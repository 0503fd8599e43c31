import { FAULT_POINTS, type FaultHook, type FaultPoint } from "../sessions/fault.ts";

export { FAULT_POINTS, type FaultHook, type FaultPoint };

/** A hook that does nothing but call `act` the `nth` time that a point is reached, counted from 1. */
function atFault(point: FaultPoint, act: () => void, nth = 1): FaultHook {
  let times = 0;
  return (reached) => {
    if (reached === point && ++times === nth) act();
  };
}

/** A hook that throws at a point, as a full disk would. */
export function failAt(point: FaultPoint, nth?: number): FaultHook {
  return atFault(
    point,
    () => {
      throw new Error(`fault injected at ${point}`);
    },
    nth,
  );
}

/** A hook that kills the process at a point, with SIGKILL: nothing of it runs any more. */
export function killAt(point: FaultPoint, nth?: number): FaultHook {
  return atFault(
    point,
    () => {
      process.kill(process.pid, "SIGKILL");
      // The signal may take a moment to arrive; the process must not get further.
      for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000);
    },
    nth,
  );
}
