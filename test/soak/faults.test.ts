/** @module-tag slow */
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import type { Store } from '../../daemon/backend/ports.ts';
import { openBackend } from '../support/open-backend.ts';
import { PATIENCE } from '../support/patience.ts';
import { tempDir } from '../support/temp-dir.ts';
import { FaultyStore } from '../support/faulty-store.ts';
import { RandomChoices } from './random-choices.ts';
import { Consumer } from './consumer.ts';
import { isAskedFor, rounds, roundsTimeoutMs, seed } from './rounds.ts';
import { AgentWriter, HttpWriter, listsOf } from './writer.ts';

const ROUNDS = 6;
const HTTP_WRITERS = 4;
const AGENTS = 4;
const TROUBLE_MS_MAX = 150;
/**
 * Maximum time for a read: short enough for a console, and below the timeout of its requests; longer next to other
 * tests.
 */
const READ_MS_MAX = isAskedFor ? 5000 : PATIENCE.timeout;
/** Maximum time for which the store holds writes while the lists are read, in milliseconds. */
const HELD_MS_MAX = 2000;

test(
  'reads work with a failing or slow disk and a full queue, and rejected results are delivered later',
  async () => {
    const random = new RandomChoices(seed());
    const dir = await tempDir();
    const stores: FaultyStore[] = [];
    const backend = await openBackend({
      dir,
      // A small queue is often full, which the test needs.
      batcher: { queueLimit: 100, batchLimit: 50 },
      around: (real: Store) => {
        const faulty = new FaultyStore(real);
        stores.push(faulty);
        return faulty;
      },
    });
    onTestFinished(() => backend.stop());
    const [store] = stores;
    if (store === undefined) throw new Error('the store was not opened');
    using consumer = new Consumer(backend.url, undefined, () => 0);
    const https = Array.from({ length: HTTP_WRITERS }, (_, at) => new HttpWriter(`http-${String(at)}`, random));
    const agents = Array.from({ length: AGENTS }, (_, at) => new AgentWriter(`agent-${String(at)}`, random));
    let refusals = 0;
    let slowestReadMs = 0;

    for (let round = 0; round < rounds(ROUNDS); round++) {
      const over = new AbortController();
      const writing = Promise.all([
        ...https.map((writer) => writer.run(backend.url, over.signal)),
        ...agents.map((agent) => agent.run(backend.url, over.signal)),
      ]);
      await delay(random.below(TROUBLE_MS_MAX));
      // The queue fills up behind a slow write, and then the disk rejects that write and possibly the next ones.
      const release = random.below(3) === 0 ? undefined : store.hold();
      let left = random.pick([0, 1, 1, 1, 3]);
      store.refuses = () => {
        const refuses = left-- > 0;
        if (refuses) refusals++;
        return refuses;
      };
      store.refusesScans = () => random.below(4) === 0;
      // On a busy machine a batch can be applied in parts, and then reads wait until it is stored.
      const releasing = setTimeout(() => release?.(), HELD_MS_MAX);
      const startedAt = performance.now();
      await listsOf(backend.url);
      clearTimeout(releasing);
      slowestReadMs = Math.max(slowestReadMs, performance.now() - startedAt);
      await delay(random.below(TROUBLE_MS_MAX));
      release?.();
      await delay(random.below(TROUBLE_MS_MAX));
      store.refuses = () => false;
      store.refusesScans = () => false;
      over.abort();
      await writing;

      // Data that cannot be read right after a failed write must become readable soon.
      await expect.poll(() => isComparable(backend.url), { timeout: READ_MS_MAX }).toBe(true);
      const lists = await listsOf(backend.url);
      for (const { ledger } of [...https, ...agents]) ledger.compare(lists);
      await expect
        .poll(() => ({ state: consumer.state, held: consumer.deliveredRows }))
        .toEqual({ state: 'live', held: consumer.expected(lists) });
    }
    expect(refusals).toBeGreaterThan(0);
    expect(slowestReadMs).toBeLessThan(READ_MS_MAX);
    console.log(`${String(refusals)} refused writes, slowest reading of all lists ${slowestReadMs.toFixed(0)} ms`);
  },
  roundsTimeoutMs(ROUNDS, 10_000),
);

/**
 * True if the backend could compare its memory with its store. After a failed write the comparison may fail for a
 * while.
 */
async function isComparable(url: string): Promise<boolean> {
  const health = (await (await fetch(`${url}/health?deep=1`)).json()) as { readonly indexes: unknown };
  return health.indexes !== null;
}
