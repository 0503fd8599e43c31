import type { ControlSocket } from "./control-socket.ts";
import type { ServedRun } from "./run-control.ts";

export interface RunDoorOptions {
  readonly run: ServedRun;
  readonly runDir: string;
  /** Told when the run cannot be reached from outside; it goes on all the same. */
  readonly onFailure: (error: unknown) => void;
}

/** The control socket of a run for its time. Opened once the run has its folder; opening never holds the run up. */
export class RunDoor {
  readonly #options: RunDoorOptions;
  #opening: Promise<ControlSocket | undefined> | undefined;

  constructor(options: RunDoorOptions) {
    this.#options = options;
  }

  /** Safe to call often: the first time counts. */
  open(): void {
    this.#opening ??= this.#open();
  }

  async close(): Promise<void> {
    const socket = await this.#opening;
    await socket?.close();
  }

  async #open(): Promise<ControlSocket | undefined> {
    const { run, runDir, onFailure } = this.#options;
    try {
      const { openControlSocket } = await import("./control-socket.ts");
      return await openControlSocket(run, runDir);
    } catch (error) {
      onFailure(error);
      return undefined;
    }
  }
}
