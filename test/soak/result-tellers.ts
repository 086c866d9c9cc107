import { agentAddresses } from '../../daemon/agent/agent-address.ts';
import { ResultSocket } from '../../daemon/agent/result-socket.ts';
import { openSpool, type Spool } from '../../daemon/agent/spool.ts';
import type { Client } from '../../shared/schemas/client.ts';
import type { SubmittedResult } from '../../shared/schemas/result.ts';
import { AgentPeer } from '../support/agent-peer.ts';
import { CuttingProxy } from '../support/cutting-proxy.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { RecordedLog } from '../support/recorded-log.ts';
import { tempDir } from '../support/temp-dir.ts';

/** Step of the agent's clock in milliseconds, shorter than the timeout of any operation of the agent. */
const STEP_MS = 2000;
/** Milliseconds that exceed every timeout of an agent; the clock advances by them when the agent is disposed of. */
const END_MS = 90_000;
/** Number of polls without a connection after which the agent's clock advances by `STEP_MS`. */
const LOOKS_PER_STEP = 5;

/**
 * Returns the client data that an agent sends.
 *
 * @param nowMs current time in epoch milliseconds
 */
export function sendingClient(name: string, nowMs: number): Client {
  return {
    name,
    address: '192.0.2.1',
    subscriptions: ['web'],
    keepalives: true,
    timestamp: Math.floor(nowMs / 1000),
    version: '0',
  };
}

/** One of two agents that send the same results to two backends. */
export interface ResultSender extends AsyncDisposable {
  /** Number of results that the backend has not acknowledged yet. */
  readonly waiting: number;
  send(results: readonly SubmittedResult[]): Promise<void>;
  keepAlive(): void;
  /** Cuts the connection without a close frame, and waits until the agent notices it. */
  cut(): Promise<void>;
  /** Connects to a backend at this address, for the first time or after a cut. */
  connect(url: string): Promise<void>;
}

/** The part of the real agent that stores and delivers results, with a proxy that can cut its connection. */
export class DeltaSender implements ResultSender {
  readonly log = new RecordedLog();
  readonly #spool: Spool;
  readonly #proxy: CuttingProxy;
  readonly #socket: ResultSocket;
  /** The clock of the agent. It advances only while the agent waits for a connection, and at the end. */
  readonly #clock = new ManualClock();
  #isStarted = false;

  private constructor(client: () => Client, spool: Spool, proxy: CuttingProxy) {
    this.#spool = spool;
    this.#proxy = proxy;
    this.#socket = new ResultSocket({
      backends: agentAddresses(proxy.url, client().name, {}),
      spool,
      clock: this.#clock,
      log: this.log,
      random: () => 0,
      client,
      signature: undefined,
      namespace: 'default',
      onWelcome: () => undefined,
      onCheckRequest: () => undefined,
    });
  }

  /**
   * Opens the spool and the proxy of an agent, without connecting.
   *
   * @param client callback that returns the current client data
   */
  static async open(client: () => Client): Promise<DeltaSender> {
    return new DeltaSender(client, await openSpool(await tempDir()), await CuttingProxy.open('http://127.0.0.1:1'));
  }

  get waiting(): number {
    return this.#spool.size;
  }

  async send(results: readonly SubmittedResult[]): Promise<void> {
    await Promise.all(results.map((result) => this.#spool.append(result)));
    this.#socket.wake();
  }

  keepAlive(): void {
    this.#socket.sendKeepalive();
  }

  async cut(): Promise<void> {
    this.#proxy.cut();
    await until(() => !this.#socket.isConnected);
  }

  async connect(url: string): Promise<void> {
    this.#proxy.target = url;
    if (!this.#isStarted) {
      this.#isStarted = true;
      this.#socket.connect();
    }
    let looks = 0;
    await until(
      () => this.#socket.isConnected,
      // The clock does not advance while a connection is being established, so that no operation in progress times out.
      () => {
        if (this.#proxy.connections === 0 && ++looks % LOOKS_PER_STEP === 0) this.#clock.advance(STEP_MS);
      },
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = this.#socket.close(0);
    this.#clock.advance(0);
    await closed;
    this.#clock.advance(END_MS);
    await this.#proxy[Symbol.asyncDispose]();
    await this.#spool[Symbol.asyncDispose]();
  }
}

/** An agent that sends only full results, never deltas. */
export class FullResultSender implements ResultSender {
  readonly #client: () => Client;
  readonly #unsentResults: SubmittedResult[] = [];
  #peer: AgentPeer | undefined;
  /** Number of acknowledged results. */
  #acked = 0;

  /**
   * Creates an agent that is not connected.
   *
   * @param client callback that returns the current client data
   */
  constructor(client: () => Client) {
    this.#client = client;
  }

  get waiting(): number {
    this.#acked = Math.max(this.#acked, this.#peer?.acked ?? 0);
    return this.#unsentResults.length - this.#acked;
  }

  async send(results: readonly SubmittedResult[]): Promise<void> {
    this.#unsentResults.push(...results);
    this.#sayAfter(this.#unsentResults.length - results.length);
  }

  keepAlive(): void {
    this.#peer?.say({ type: 'keepalive', client: { ...this.#client() } });
  }

  async cut(): Promise<void> {
    const peer = this.#peer;
    peer?.cut();
    await until(() => peer?.ending !== undefined);
  }

  async connect(url: string): Promise<void> {
    const peer = await AgentPeer.connect(url, this.#client().name, 'default');
    peer.greet('whole', { ...this.#client() });
    await until(() => peer.heard.some(({ type }) => type === 'welcome'));
    this.#sayAll(peer);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#peer?.cut();
  }

  #sayAll(peer: AgentPeer): void {
    const { waiting } = this;
    this.#peer = peer;
    this.#sayAfter(Math.max(this.#unsentResults.length - waiting, peer.acked));
  }

  #sayAfter(last: number): void {
    const results = this.#unsentResults.slice(last).map((check, at) => ({ id: last + at + 1, check }));
    if (results.length > 0) this.#peer?.say({ type: 'results', results });
  }
}

const PAUSE_MS = 1;
const PATIENCE_MS = 10_000;

/**
 * Polls until a condition is true.
 *
 * @param meanwhile callback that runs after each poll that is false
 * @throws Error if the condition is still false after `PATIENCE_MS`
 */
export async function until(
  isDone: () => boolean | Promise<boolean>,
  meanwhile = (): void => undefined,
): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  while (!(await isDone())) {
    if (performance.now() > deadline) throw new Error(`what was waited for did not come: ${isDone.toString()}`);
    meanwhile();
    await new Promise((resolve) => void setTimeout(resolve, PAUSE_MS));
  }
}
