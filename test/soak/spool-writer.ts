import { agentAddresses } from '../../daemon/agent/agent-address.ts';
import type { Clock } from '../../daemon/clock/clock.ts';
import { ResultSocket } from '../../daemon/agent/result-socket.ts';
import { openSpool, type Spool } from '../../daemon/agent/spool.ts';
import type { Client } from '../../shared/schemas/client.ts';
import { RecordedLog } from '../support/recorded-log.ts';
import type { RandomChoices } from './random-choices.ts';
import { agentChange, Ledger } from './writer.ts';

/** Factor by which the timers of this clock are faster: pauses of seconds take milliseconds. */
const HASTE = 50;
const hasty: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(delayMs, task) {
    const timer = setTimeout(task, delayMs / HASTE);
    return { [Symbol.dispose]: () => clearTimeout(timer) };
  },
  every(periodMs, task) {
    const timer = setInterval(task, periodMs);
    return { [Symbol.dispose]: () => clearInterval(timer) };
  },
};

/** The part of a real agent that stores and delivers results, with a ledger of the results that it reported. */
export class SpoolWriter implements AsyncDisposable {
  readonly ledger: Ledger;
  readonly #dir: string;
  readonly #backend: string;
  readonly #random: RandomChoices;
  #spool: Spool;
  #socket: ResultSocket;
  #count = 0;

  private constructor(name: string, dir: string, backend: string, random: RandomChoices, spool: Spool) {
    this.ledger = new Ledger(name);
    this.#dir = dir;
    this.#backend = backend;
    this.#random = random;
    this.#spool = spool;
    this.#socket = this.#connect();
  }

  static async open(name: string, dir: string, backend: string, random: RandomChoices): Promise<SpoolWriter> {
    return new SpoolWriter(name, dir, backend, random, await openSpool(dir));
  }

  /** Number of results that the backend has not acknowledged yet. */
  get waiting(): number {
    return this.#spool.size;
  }

  async report(): Promise<void> {
    const change = agentChange(this.ledger.name, ++this.#count, this.#random);
    this.ledger.pending.push(change);
    if (change.result !== undefined) await this.#spool.append(change.result);
    this.#socket.wake();
  }

  /** Records in the ledger that all reported results were acknowledged. */
  settle(): void {
    this.ledger.acked = this.ledger.pending.length;
  }

  /** Restarts this part of the agent with its spool on disk. */
  async restart(): Promise<void> {
    await this[Symbol.asyncDispose]();
    this.#spool = await openSpool(this.#dir);
    this.#socket = this.#connect();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#socket.close(0);
    await this.#spool[Symbol.asyncDispose]();
  }

  #connect(): ResultSocket {
    const { name } = this.ledger;
    const client: Client = {
      name,
      address: '192.0.2.1',
      subscriptions: [],
      keepalives: false,
      timestamp: 1_700_000_000,
      version: '0',
    };
    const socket = new ResultSocket({
      backends: agentAddresses(this.#backend, 'web1', {}),
      spool: this.#spool,
      clock: hasty,
      log: new RecordedLog(),
      random: () => 0,
      client: () => client,
      signature: undefined,
      namespace: 'default',
      onWelcome: () => undefined,
      onCheckRequest: () => undefined,
    });
    socket.connect();
    return socket;
  }
}
