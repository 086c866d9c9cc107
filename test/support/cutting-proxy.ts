import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** A network between consumers and a backend that does what a test tells it: cuts, in the middle of a frame too, and stalls. */
export class CuttingProxy implements AsyncDisposable {
  readonly url: string;
  /** Where new connections lead to. */
  target: string;
  /** Connections cut so far. */
  cuts = 0;
  readonly #server: Server;
  readonly #pairs = new Set<readonly [near: Socket, far: Socket]>();
  /** Bytes from the backend that are still passed on before all is cut; undefined: any number. */
  #bytesLeft: number | undefined;
  #isStalled = false;

  private constructor(server: Server, target: string) {
    this.#server = server;
    this.target = target;
    this.url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
    server.on('connection', (near) => this.#join(near));
  }

  static async open(target: string): Promise<CuttingProxy> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new CuttingProxy(server, target);
  }

  get connections(): number {
    return this.#pairs.size;
  }

  /** Cuts every connection now, without a goodbye. */
  cut(): void {
    this.#bytesLeft = undefined;
    for (const pair of this.#pairs) {
      this.cuts++;
      this.#end(pair);
    }
  }

  /** Cuts every connection once so many more bytes came from the backend; the last of them still arrive. */
  cutAfter(bytes: number): void {
    this.#bytesLeft = bytes;
  }

  /** Passes nothing on, in neither direction, and closes nothing; what the peers send fills the buffers of the system. */
  stall(): void {
    this.#isStalled = true;
    for (const pair of this.#pairs) for (const socket of pair) socket.pause();
  }

  /** Passes everything on again. */
  flow(): void {
    this.#isStalled = false;
    this.#bytesLeft = undefined;
    for (const pair of this.#pairs) for (const socket of pair) socket.resume();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const pair of this.#pairs) this.#end(pair);
    await closed;
  }

  #join(near: Socket): void {
    const { hostname, port } = new URL(this.target);
    const far = connect(Number(port), hostname);
    const pair = [near, far] as const;
    this.#pairs.add(pair);
    for (const socket of pair) {
      socket.on('error', () => this.#end(pair));
      socket.on('close', () => this.#end(pair));
    }
    near.on('data', (chunk) => void far.write(chunk));
    far.on('data', (chunk: Buffer) => this.#passOn(near, chunk));
    if (this.#isStalled) for (const socket of pair) socket.pause();
  }

  #passOn(near: Socket, chunk: Buffer): void {
    if (this.#bytesLeft === undefined || chunk.length < this.#bytesLeft) {
      if (this.#bytesLeft !== undefined) this.#bytesLeft -= chunk.length;
      near.write(chunk);
      return;
    }
    near.write(chunk.subarray(0, this.#bytesLeft), () => this.cut());
  }

  #end(pair: readonly [near: Socket, far: Socket]): void {
    this.#pairs.delete(pair);
    for (const socket of pair) socket.destroy();
  }
}
