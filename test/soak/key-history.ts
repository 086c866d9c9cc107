import { setTimeout as delay } from 'node:timers/promises';
import type { Operation } from '../support/linearizable.ts';
import type { RandomChoices } from './random-choices.ts';
import { outcomeOf, type Outcome } from './outcome.ts';

/** An HTTP request that reads or changes the object of a key. */
interface KeyRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

/** A kind of object, such as a silence, that exists at most once for each key. */
interface Register {
  write(key: string, value: string): KeyRequest;
  clear(key: string): KeyRequest;
  read(key: string): KeyRequest;
  /** Returns the value that a response to a read contains. */
  valueOf(answer: unknown): string | undefined;
}

const SILENCE: Register = {
  write: (key, reason) => ({ method: 'POST', path: '/silenced', body: { subscription: key, check: 'check', reason } }),
  clear: (key) => ({ method: 'POST', path: '/silenced/clear', body: { id: `${key}:check` } }),
  read: (key) => ({ method: 'GET', path: `/silenced/ids/${key}:check` }),
  valueOf: (answer) => (answer as { reason?: string }).reason,
};

const EVENT: Register = {
  write: (source, output) => ({ method: 'POST', path: '/results', body: { source, name: 'check', output, status: 1 } }),
  clear: (client) => ({ method: 'POST', path: '/resolve', body: { client, check: 'check' } }),
  read: (key) => ({ method: 'GET', path: `/events/${key}/check` }),
  valueOf: (answer) => (answer as { check: { output?: string } }).check.output,
};

/** Maximum number of operations on a key; it limits the time of the search for a valid order. */
const OPERATIONS_MAX = 300;

/** The operations of several concurrent clients on one key, each sent to a random backend. */
export class KeyHistory {
  readonly key: string;
  readonly #operations: Operation[] = [];
  readonly #register: Register;
  readonly #urls: readonly string[];
  readonly #random: RandomChoices;
  #values = 0;

  constructor(key: string, urls: readonly string[], random: RandomChoices) {
    this.key = key;
    this.#urls = urls;
    this.#random = random;
    this.#register = random.below(2) === 0 ? SILENCE : EVENT;
  }

  /**
   * Runs one client, which sends random requests until it is stopped or the history is full.
   *
   * @param pauseMs maximum pause between two requests in milliseconds
   */
  async ask(pauseMs: number, enough: AbortSignal): Promise<void> {
    while (!enough.aborted && this.#operations.length < OPERATIONS_MAX) {
      const kind = this.#random.pick<Operation['kind']>(['write', 'clear', 'read', 'read', 'read']);
      await this.#ask(kind, this.#random.below(this.#urls.length));
      await delay(this.#random.below(pauseMs));
    }
  }

  /** Reads through each backend. All backends must be up to date, so each must respond like the leader. */
  async readEverywhere(): Promise<void> {
    for (const member of this.#urls.keys()) await this.#ask('read', member, true);
  }

  /**
   * Returns the recorded operations, with `isAtWriter` set for all reads through the leader.
   *
   * @param writer index of the member that was leader the whole time; `undefined` if there may have been several
   * leaders
   */
  operationsOf(writer: number | undefined): readonly Operation[] {
    return this.#operations.map((one) =>
      one.kind === 'read' && one.member === writer ? { ...one, isAtWriter: true } : one,
    );
  }

  async #ask(kind: Operation['kind'], member: number, isAtWriter = false): Promise<void> {
    const value = kind === 'write' ? `value ${String(++this.#values)}` : undefined;
    const begin = performance.now();
    const outcome = await outcomeOf(this.#urls[member] ?? '', this.#question(kind, value));
    const operation = { kind, member, begin, end: performance.now(), isAtWriter };
    // A failed read, or a request that was not executed, has no effect and is not recorded.
    if (outcome.kind === 'refused' || outcome.kind === 'unreached' || (outcome.kind === 'unknown' && kind === 'read'))
      return;
    if (outcome.kind === 'unknown') this.#operations.push({ ...operation, value, end: Infinity });
    else this.#operations.push({ ...operation, ...this.#recordOutcome(kind, value, outcome) });
  }

  #question(kind: Operation['kind'], value = ''): KeyRequest {
    if (kind === 'write') return this.#register.write(this.key, value);
    return kind === 'clear' ? this.#register.clear(this.key) : this.#register.read(this.key);
  }

  #recordOutcome(
    kind: Operation['kind'],
    written: string | undefined,
    { status, body }: Extract<Outcome, { kind: 'answered' }>,
  ): Pick<Operation, 'value' | 'found'> {
    const isThere = status !== 404;
    if (status >= 400 && (isThere || kind === 'write')) throw new Error(`${kind} of ${this.key}: ${String(status)}`);
    if (kind === 'write') return { value: written };
    if (kind === 'clear') return { found: isThere };
    return { value: isThere ? this.#register.valueOf(body) : undefined };
  }
}
