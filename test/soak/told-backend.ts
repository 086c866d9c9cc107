import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Backend } from '../../daemon/backend/compose.ts';
import { loadConfig } from '../../daemon/backend/config/load-config.ts';
import type { StoreOp } from '../../daemon/backend/ports.ts';
import { administratorOf } from '../support/administrator.ts';
import type { ManualClock } from '../support/manual-clock.ts';
import { openBackend } from '../support/open-backend.ts';
import { tempDir } from '../support/temp-dir.ts';
import { FaultyStore } from '../support/faulty-store.ts';
import { until, type ResultSender } from './result-tellers.ts';
import { AGENT, CHECKS, type Config } from './delta-steps.ts';

const FIRST_CONFIG: Config = { checks: 'none', handlers: 'none' };

/** API paths whose responses are compared between the two backends. */
const PATHS = [
  '/results',
  '/events',
  '/clients',
  `/clients/${AGENT}/history`,
  '/silenced',
  '/aggregates',
  ...['web', 'db'].flatMap((name) => [
    `/aggregates/${name}`,
    `/aggregates/${name}/checks`,
    `/aggregates/${name}/clients`,
    `/aggregates/${name}/results/ok`,
    `/aggregates/${name}/results/critical`,
  ]),
  '/api/core/v2/namespaces/default/events',
  '/api/core/v2/namespaces/default/entities',
  '/api/mon/v1/dump/entities',
  '/api/mon/v1/dump/events',
  '/api/mon/v1/dump/silenced',
  '/api/mon/v1/aggregates',
];

/** One of two backends that are compared, with its agent and the notifications that its handlers sent. */
export class ComparedBackend implements AsyncDisposable {
  readonly sender: ResultSender;
  readonly receivedMessages: string[] = [];
  /** Number of results that were written to the store as differences to stored ones. */
  deltaResults = 0;
  /** True if the next write that contains check records must fail. */
  isRefusing = false;
  readonly #dir: string;
  readonly #clock: ManualClock;
  readonly #receiver = createServer((request, response) => {
    text(request)
      .then((body) => void this.receivedMessages.push(body))
      .then(
        () => void response.end(),
        () => undefined,
      );
  });
  #backend: Backend | undefined;
  #config = FIRST_CONFIG;

  private constructor(dir: string, clock: ManualClock, teller: ResultSender) {
    this.#dir = dir;
    this.#clock = clock;
    this.sender = teller;
  }

  static async open(clock: ManualClock, teller: ResultSender): Promise<ComparedBackend> {
    const told = new ComparedBackend(await tempDir(), clock, teller);
    told.#receiver.listen(0, '127.0.0.1');
    await once(told.#receiver, 'listening');
    await told.start();
    return told;
  }

  get #url(): string {
    return this.#backend?.url ?? '';
  }

  async start(): Promise<void> {
    const loadNow = (): ReturnType<typeof loadConfig> => loadConfig({ directories: [], env: {}, flags: this.#flags() });
    this.#backend = await openBackend({
      dir: this.#dir,
      clock: this.#clock,
      // Results that arrive while the test's clock stands still form one batch. Other commands join the batch if they
      // are few compared with the previous batch.
      batcher: { lingerMs: 0 },
      definitions: await loadNow(),
      loadConfig: loadNow,
      around: (store) => {
        const faulty = new FaultyStore(store);
        faulty.refuses = (ops) => this.#refuses(ops);
        return faulty;
      },
    });
    await this.connect();
  }

  async connect(): Promise<void> {
    await this.sender.connect(this.#url);
  }

  async stop(): Promise<void> {
    await this.#backend?.stop();
  }

  async reload(config: Config): Promise<void> {
    this.#config = config;
    await this.#backend?.reload();
  }

  async ask(method: string, path: string, body?: unknown): Promise<number> {
    const answer = await fetch(this.#url + path, {
      method,
      headers: administratorOf(this.#url),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    await answer.arrayBuffer();
    return answer.status;
  }

  async get(path: string): Promise<unknown> {
    const answer = await fetch(this.#url + path, { headers: administratorOf(this.#url) });
    const body = await answer.text();
    return answer.ok || answer.status === 412 ? (JSON.parse(withoutIds(body)) as unknown) : answer.status;
  }

  async health(): Promise<Health> {
    return (await this.get('/health?deep=1')) as Health;
  }

  /** Returns the state that both backends must have in common, with the notifications. */
  async state(): Promise<Readonly<Record<string, unknown>> & Pick<Health, 'problems'>> {
    const answers = await Promise.all(PATHS.map(async (path) => [path, await this.get(path)] as const));
    const { indexes, problems } = await this.health();
    // Notifications of the same moment have no guaranteed order. A notification is repeated if the write that records
    // it failed.
    const heard = [...new Set(this.receivedMessages.map((body) => inOneOrder(withoutIds(body))))].toSorted();
    return { ...Object.fromEntries(answers), indexes, problems, heard, refused: await this.#refused() };
  }

  /** Returns the metrics of rejected results since the start of the backend, one line per reason. */
  async #refused(): Promise<readonly string[]> {
    const answer = await fetch(`${this.#url}/metrics`, { headers: administratorOf(this.#url) });
    return (await answer.text()).split('\n').filter((line) => line.startsWith('mon_results_rejected_total'));
  }

  /** Waits until all sent results are committed, and no command or notification is in progress. */
  async settle(): Promise<void> {
    await until(() => this.sender.waiting === 0);
    await this.ask('POST', '/stashes', { path: 'committed', content: {} });
    await until(async () => {
      const { handlers, queue } = await this.health();
      return handlers.queued + handlers.running + handlers.retrying + queue.messages === 0;
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.sender[Symbol.asyncDispose]();
    await this.stop();
    this.#receiver.closeAllConnections();
    this.#receiver.close();
  }

  #refuses(ops: readonly StoreOp[]): boolean {
    if (this.isRefusing && ops.some(({ key }) => key[0] === 'check')) {
      this.isRefusing = false;
      return true;
    }
    this.deltaResults += ops.filter(({ type }) => type === 'amend').length;
    return false;
  }

  #flags(): Readonly<Record<string, unknown>> {
    const url = `http://127.0.0.1:${String((this.#receiver.address() as AddressInfo).port)}/`;
    const each = { type: 'webhook', url };
    const handlers = { none: {}, problems: { each }, all: { each, all: { ...each, event_format: 'core' } } };
    return { checks: CHECKS[this.#config.checks], handlers: handlers[this.#config.handlers] };
  }
}

interface Health {
  readonly problems: readonly string[];
  readonly queue: { readonly messages: number };
  readonly handlers: { readonly queued: number; readonly running: number; readonly retrying: number };
  readonly indexes: { readonly differences: number } | null;
}

/** Replaces the ids of events, which differ between the backends. */
function withoutIds(json: string): string {
  return json.replaceAll(/[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}/g, 'id');
}

/**
 * Sorts attributes, and removes the times when a client was last seen: they depend on whether interrupted results
 * arrive before the agent's next hello message.
 */
function inOneOrder(json: string): string {
  return JSON.stringify(JSON.parse(json), (name, value: unknown) => {
    if (name === 'last_seen') return undefined;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    const entries = Object.entries(value).filter(([inner]) => name !== 'client' || inner !== 'timestamp');
    return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
  });
}
