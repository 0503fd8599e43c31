import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";

type Fault = { readonly kind: "reset" | "silence"; readonly afterBytes: number };

/** How long a silent connection lives before it is reset, as by a router that has forgotten it. */
const SILENCE_MS = 150;

/** A TCP proxy on this machine that stands for a bad network. Ends with the test. */
export class BadNetwork {
  readonly #server = createServer((client) => this.#join(client));
  readonly #target: number;
  readonly #open = new Set<Socket>();
  #port = 0;
  #fault: Fault | undefined;

  private constructor(target: number) {
    this.#target = target;
  }

  static async to(url: string): Promise<BadNetwork> {
    const network = new BadNetwork(Number(new URL(url).port));
    await network.up();
    onTestFinished(() => network.down());
    return network;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** The next answer breaks off after so many bytes: with a reset, or first with a silence. */
  breakOff(kind: Fault["kind"], afterBytes = 400): void {
    this.#fault = { kind, afterBytes };
  }

  /** Connections are reset and refused from now on. */
  async down(): Promise<void> {
    for (const socket of this.#open) socket.resetAndDestroy();
    if (!this.#server.listening) return;
    this.#server.close();
    await once(this.#server, "close");
  }

  /** At the same address as before. */
  async up(): Promise<void> {
    this.#server.listen(this.#port, "127.0.0.1");
    await once(this.#server, "listening");
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  #join(client: Socket): void {
    const upstream = connect(this.#target, "127.0.0.1");
    this.#keep(client, upstream);
    this.#keep(upstream, client);
    client.on("data", (bytes) => upstream.write(bytes));
    upstream.on("data", (bytes) => this.#answer(bytes, client, upstream));
  }

  #keep(socket: Socket, other: Socket): void {
    this.#open.add(socket);
    socket.setNoDelay();
    socket.on("error", () => {});
    socket.on("close", () => {
      this.#open.delete(socket);
      other.destroy();
    });
  }

  #answer(bytes: Buffer, client: Socket, upstream: Socket): void {
    const fault = this.#fault;
    if (!fault) return void client.write(bytes);
    this.#fault = undefined;
    upstream.removeAllListeners("data").on("data", () => {});
    const reset = () => void client.resetAndDestroy();
    client.write(bytes.subarray(0, fault.afterBytes), () => (fault.kind === "reset" ? setImmediate(reset) : setTimeout(reset, SILENCE_MS)));
  }
}
