import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import { openPostgresStore } from '../../daemon/backend/store/postgres/postgres-store.ts';
import type { RandomChoices } from './random-choices.ts';
import { sameOrder, type Members } from './members.ts';
import { expectWhole, readStore } from './stored-state.ts';
import { AgentWriter, HttpWriter, type Lists } from './writer.ts';

const HTTP_WRITERS = 6;
const AGENTS = 6;

/**
 * Clients that write through all members of a cluster, and the checks that no acknowledged change is lost or
 * duplicated.
 */
export class ClusterLoad {
  /** Number of acknowledged changes that the comparisons have covered so far. */
  changes = 0;
  readonly #members: Members;
  readonly #store: string;
  readonly #random: RandomChoices;
  readonly #agents: readonly AgentWriter[];
  readonly #writers: readonly (HttpWriter | AgentWriter)[];
  #lastSeq = 0;

  /**
   * Creates the clients.
   *
   * @param store URL of the database
   */
  constructor(members: Members, store: string, random: RandomChoices) {
    this.#members = members;
    this.#store = store;
    this.#random = random;
    const https = Array.from({ length: HTTP_WRITERS }, (_, at) => new HttpWriter(`http-${String(at)}`, random));
    this.#agents = Array.from({ length: AGENTS }, (_, at) => new AgentWriter(`agent-${String(at)}`, random));
    this.#writers = [...https, ...this.#agents];
  }

  /**
   * Lets all clients write for a random time and while `happen` runs, and then compares the backends. All must show the
   * same state, and no acknowledged change may be missing or duplicated.
   *
   * @param urls addresses of the backends; default: the members' own addresses
   * @param settleMs time to wait for requests that a backend still processes although their connection is cut
   */
  async during(
    happen: () => Promise<void>,
    { loadMsMax, urls = this.#members.urls, settleMs = 0 }: LoadOptions,
  ): Promise<void> {
    const enough = new AbortController();
    const running = Promise.all(
      this.#writers.map((writer, at) => writer.run(urls[at % urls.length] ?? '', enough.signal)),
    );
    await Promise.race([delay(this.#random.below(loadMsMax)), running]);
    await happen();
    enough.abort();
    await running;
    await delay(settleMs);
    await this.#expectKept();
  }

  async #expectKept(): Promise<void> {
    await this.#members.caughtUp();
    const stored = await readStore(openPostgresStore(this.#store));
    expectWhole(stored, this.#lastSeq, this.#agents);
    this.#lastSeq = stored.lastSeq;
    const [lists, ...others] = await this.#members.lists();
    expectSame(lists, others);
    for (const { ledger } of this.#writers) {
      this.changes += ledger.acked;
      if (lists !== undefined) ledger.compare(lists);
    }
  }
}

function expectSame(lists: Lists | undefined, others: readonly Lists[]): void {
  for (const list of others) expect(sameOrder(list)).toEqual(sameOrder(lists));
}

interface LoadOptions {
  /** Maximum time under load before `happen` is called. */
  readonly loadMsMax: number;
  readonly urls?: readonly string[];
  readonly settleMs?: number;
}
