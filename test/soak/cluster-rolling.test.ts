/** @module-tag slow */
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { openPostgresStore } from '../../daemon/backend/store/postgres/postgres-store.ts';
import { startPostgres } from '../../scripts/lib/postgres-server.ts';
import { openApiClient, type ApiClient } from '../../shared/client/api-client.ts';
import { openFeed, type Feed, type FeedListener, type FeedState } from '../../shared/client/feed-client.ts';
import { FeedReplica } from '../../shared/client/feed-replica.ts';
import type { RowsMetadata } from '../../shared/client/feed-session.ts';
import type { FeedRows } from '../../shared/schemas/feed.ts';
import { eventKey } from '../../shared/domain/event-key.ts';
import { Members } from './members.ts';
import { rounds, roundsTimeoutMs } from './rounds.ts';
import { expectWhole, readStore } from './stored-state.ts';

const ROUNDS = 1;
const MEMBERS = 3;
const CLIENTS = 3;
/** Pause between two changes of one client: it limits a round to some thousand rows. */
const PAUSE_MS = 4;
/** Time under load before each restart of a member. */
const LOAD_MS = 200;

/** A client that makes one change after the other, each to a new row, and knows the addresses of all backends. */
class SteadyWriter {
  readonly #name: string;
  readonly #api: ApiClient;
  #count = 0;
  /** Keys of the rows whose change was acknowledged in this round. */
  readonly acknowledgedKeys = { events: new Set<string>(), silenced: new Set<string>() };
  /** Errors of the changes that failed. */
  readonly failures: unknown[] = [];

  constructor(name: string, backends: string) {
    this.#name = name;
    this.#api = openApiClient({ backend: backends });
  }

  async run(enough: AbortSignal): Promise<void> {
    while (!enough.aborted) {
      await this.#change(`check-${String(++this.#count)}`).catch((error: unknown) => this.failures.push(error));
      await delay(PAUSE_MS);
    }
  }

  /** Deletes all rows that this client created. */
  async clear(): Promise<void> {
    await this.#api.deleteClient(this.#name);
    for (const id of this.acknowledgedKeys.silenced) await this.#api.clearSilenced({ id });
    this.acknowledgedKeys.events.clear();
    this.acknowledgedKeys.silenced.clear();
  }

  async #change(check: string): Promise<void> {
    if (this.#count % 4 === 0) {
      await this.#api.silence({ subscription: this.#name, check, reason: 'a change' });
      this.acknowledgedKeys.silenced.add(`${this.#name}:${check}`);
    } else {
      await this.#api.submitResult({ source: this.#name, name: check, output: 'x', status: 1 });
      this.acknowledgedKeys.events.add(eventKey(this.#name, check));
    }
  }
}

/** A feed that uses the same code as the console, and knows the addresses of all backends. */
class Console implements FeedListener, Disposable {
  readonly #feed: Feed;
  readonly #replica = new FeedReplica();
  state: FeedState['kind'] = 'connecting';
  /** Number of times the feed went live; `snapshots` is the number of complete new snapshots. */
  lives = 0;
  snapshots = 0;
  /** For each time the sequence number went back: the size of the step. */
  readonly stepsBack: number[] = [];
  /** Keys of all rows that ever arrived over the feed. */
  readonly receivedKeys = { events: new Set<string>(), silenced: new Set<string>() };
  #seq = 0;

  constructor(backends: string) {
    this.#feed = openFeed({ backend: backends, topics: ['events', 'silenced', 'clients'] }, this);
  }

  get currentKeys(): { readonly events: ReadonlySet<string>; readonly silenced: ReadonlySet<string> } {
    return { events: new Set(this.#replica.events.keys()), silenced: new Set(this.#replica.silenced.keys()) };
  }

  onState({ kind }: FeedState): void {
    this.state = kind;
    if (kind === 'live') this.lives++;
  }

  onRows(rows: FeedRows, about: RowsMetadata): void {
    if (about.replace) this.snapshots++;
    if (about.seq < this.#seq) this.stepsBack.push(this.#seq - about.seq);
    this.#seq = about.seq;
    for (const key of Object.keys(rows.events ?? {})) this.receivedKeys.events.add(key);
    for (const key of Object.keys(rows.silenced ?? {})) this.receivedKeys.silenced.add(key);
    this.#replica.apply(rows, about);
  }

  onStats(): void {
    // The statistics are not part of the replicated rows.
  }

  [Symbol.dispose](): void {
    this.#feed.close();
  }
}

/** Returns the comma-separated addresses of all backends, starting with the backend at index `at`. */
const listFrom = (urls: readonly string[], at: number): string =>
  [...urls.slice(at % urls.length), ...urls.slice(0, at % urls.length)].join(',');

const allOf = (writers: readonly SteadyWriter[], rows: 'events' | 'silenced'): ReadonlySet<string> =>
  new Set(writers.flatMap(({ acknowledgedKeys }) => [...acknowledgedKeys[rows]]));

const missingKeys = (owed: ReadonlySet<string>, seen: ReadonlySet<string>): readonly string[] =>
  [...owed].filter((key) => !seen.has(key));

test(
  'a rolling restart fails no write of a client that knows all backends, and no console misses a change',
  async () => {
    await using server = await startPostgres();
    const store = await server.database();
    await using members = await Members.open(MEMBERS, () => ({ MON_STORE: store }));
    const { urls } = members;
    using closing = new DisposableStack();
    const consoles = urls.map((_, at) => closing.use(new Console(listFrom(urls, at))));
    await vi.waitFor(() => expect(consoles.map(({ state }) => state)).toEqual(urls.map(() => 'live')));
    const writers = Array.from(
      { length: CLIENTS },
      (_, at) => new SteadyWriter(`web-${String(at)}`, listFrom(urls, at)),
    );
    let lastSeq = 0;
    let changes = 0;

    for (let round = 0; round < rounds(ROUNDS); round++) {
      const enough = new AbortController();
      const writing = Promise.all(writers.map((writer) => writer.run(enough.signal)));
      for (const at of urls.keys()) {
        await delay(LOAD_MS);
        expect(await members.member(at).end('SIGTERM')).toEqual({ code: 0, signal: null });
        await members.startAgain(at);
      }
      enough.abort();
      await writing;
      expect(writers.flatMap(({ failures }) => failures)).toEqual([]);
      for (const rows of ['events', 'silenced'] as const) {
        const owed = allOf(writers, rows);
        changes += owed.size;
        for (const one of consoles) {
          await vi.waitFor(() => expect(missingKeys(owed, one.receivedKeys[rows])).toEqual([]));
          await vi.waitFor(() => expect(one.currentKeys[rows]).toEqual(owed));
        }
      }
      for (const writer of writers) await writer.clear();
      for (const one of consoles) {
        await vi.waitFor(() => expect(one.currentKeys).toEqual({ events: new Set(), silenced: new Set() }));
        expect({ snapshots: one.snapshots, stepsBack: one.stepsBack }).toEqual({ snapshots: 1, stepsBack: [] });
      }
      const stored = await readStore(openPostgresStore(store));
      expectWhole(stored, lastSeq, []);
      ({ lastSeq } = stored);
    }
    const lives = consoles.reduce((sum, one) => sum + one.lives, 0);
    console.log(
      `${String(MEMBERS * rounds(ROUNDS))} restarts, ${String(changes)} changes, consoles connected ${String(lives)} times`,
    );
  },
  roundsTimeoutMs(ROUNDS, 60_000),
);
