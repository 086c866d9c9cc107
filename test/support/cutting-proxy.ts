import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** Direction of data through the proxy: `there` from a client to the backend, `back` from the backend to a client. */
export type Direction = 'there' | 'back';

/** One direction of a proxied connection, with its delayed data. */
interface Way {
  readonly from: Socket;
  readonly to: Socket;
  readonly direction: Direction;
  /** Delayed chunks with the time when they are due, on the monotonic clock. */
  readonly late: { readonly chunk: Buffer; readonly dueMs: number }[];
}

/**
 * A TCP proxy between clients and a backend that the test controls. It cuts connections, possibly in the middle of a
 * frame, stalls one or both directions, and delays data.
 */
export class CuttingProxy implements AsyncDisposable {
  readonly url: string;
  /** URL to which new connections are forwarded. */
  target: string;
  /** Number of connections that were cut so far. */
  cuts = 0;
  readonly #server: Server;
  readonly #pairs = new Set<readonly [there: Way, back: Way]>();
  /**
   * Number of bytes from the backend that are still forwarded before all connections are cut; `undefined` if there is
   * no limit.
   */
  #bytesLeft: number | undefined;
  readonly #stalled = new Set<Direction>();
  #delayMs = 0;

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

  /** Cuts all connections now, without a close frame. */
  cut(): void {
    this.#bytesLeft = undefined;
    for (const pair of this.#pairs) {
      this.cuts++;
      this.#end(pair);
    }
  }

  /** Cuts all connections after this many further bytes from the backend. These bytes still arrive. */
  cutAfter(bytes: number): void {
    this.#bytesLeft = bytes;
  }

  /**
   * Stops forwarding in the given directions, by default in both, without closing connections. The sent data fills the
   * buffers of the operating system.
   */
  stall(...directions: readonly Direction[]): void {
    for (const direction of directions.length === 0 ? BOTH : directions) this.#stalled.add(direction);
    for (const pair of this.#pairs) for (const way of pair) this.#pauseStalled(way);
  }

  /** Delays all further data in each direction by `ms`. */
  slow(ms: number): void {
    this.#delayMs = ms;
  }

  /** Ends all stalls, delays and pending cuts. */
  flow(): void {
    this.#stalled.clear();
    this.#bytesLeft = undefined;
    this.#delayMs = 0;
    for (const pair of this.#pairs) for (const { from } of pair) from.resume();
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
    const pair = [wayOf(near, far, 'there'), wayOf(far, near, 'back')] as const;
    this.#pairs.add(pair);
    for (const way of pair) {
      way.from.on('error', () => this.#end(pair));
      way.from.on('close', () => this.#end(pair));
      way.from.on('data', (chunk: Buffer) => this.#take(way, chunk));
      this.#pauseStalled(way);
    }
  }

  #pauseStalled({ from, direction }: Way): void {
    if (this.#stalled.has(direction)) from.pause();
  }

  /** Forwards a chunk, or queues it if it must be delayed or earlier chunks are queued, so that the order is kept. */
  #take(way: Way, chunk: Buffer): void {
    if (this.#delayMs === 0 && way.late.length === 0) {
      this.#passOn(way, chunk);
      return;
    }
    way.late.push({ chunk, dueMs: performance.now() + this.#delayMs });
    if (way.late.length === 1) this.#passOnWhenDue(way);
  }

  #passOnWhenDue(way: Way): void {
    const [next] = way.late;
    if (next === undefined) return;
    setTimeout(
      () => {
        this.#passOn(way, next.chunk);
        way.late.shift();
        this.#passOnWhenDue(way);
      },
      Math.max(0, next.dueMs - performance.now()),
    );
  }

  #passOn({ to, direction }: Way, chunk: Buffer): void {
    if (direction === 'there' || this.#bytesLeft === undefined || chunk.length < this.#bytesLeft) {
      if (direction === 'back' && this.#bytesLeft !== undefined) this.#bytesLeft -= chunk.length;
      to.write(chunk);
      return;
    }
    to.write(chunk.subarray(0, this.#bytesLeft), () => this.cut());
  }

  #end(pair: readonly [there: Way, back: Way]): void {
    this.#pairs.delete(pair);
    for (const { from } of pair) from.destroy();
  }
}

const BOTH: readonly Direction[] = ['there', 'back'];

const wayOf = (from: Socket, to: Socket, direction: Direction): Way => ({ from, to, direction, late: [] });
