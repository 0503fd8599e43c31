import type { Clock } from "../../core/clock.ts";
import type { LiveArea } from "./live.ts";
import type { StatusLine } from "./status.ts";

const TICK_MS = 100;

/** Keeps the status line moving until the returned function is called. Never keeps the process alive. */
export function animate(live: LiveArea, status: StatusLine, clock: Clock): () => void {
  if (!live.active) return () => {};
  let cancel = () => {};
  const tick = () => {
    live.status(status.render(live.columns));
    cancel = clock.after(TICK_MS, tick, { unref: true });
  };
  tick();
  return () => {
    cancel();
    live.status("");
  };
}
