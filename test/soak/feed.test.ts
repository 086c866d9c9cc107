/** @module-tag slow */
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { CuttingProxy } from '../support/cutting-proxy.ts';
import { startDaemon } from '../support/start-daemon.ts';
import { tempDir } from '../support/temp-dir.ts';
import { RandomChoices } from './random-choices.ts';
import { Consumer } from './consumer.ts';
import { rounds, roundsTimeoutMs, seed } from './rounds.ts';
import { HttpWriter, listsOf } from './writer.ts';

const ROUNDS = 9;
const WRITERS = 4;
/** Filters of the consumers: none, or a filter whose matches change with the status of an event or with silences. */
const FILTERS = [undefined, undefined, 'status=crit', 'silenced or check=check-1'];
const CHURN_MS_MAX = 150;
const RESTART_EVERY = 8;
/** Minimum milliseconds between two updates that a consumer requests; 0 means no minimum. */
const PACES_MS = [0, 0, 100, 1000] as const;
/** Keys of the events whose changes a consumer requests with all fields; `undefined` requests this for all events. */
const WHOLE = [undefined, undefined, [], ['web-0-1/check-1']] as const;

test(
  'feed consumers end up with the state of the backend despite lost and stalled connections and restarts',
  async () => {
    const random = new RandomChoices(seed());
    const stateDir = await tempDir();
    let daemon = await startDaemon({ stateDir });
    await using proxy = await CuttingProxy.open(daemon.url);
    using consumers = new DisposableStack();
    const all = FILTERS.map((filter) =>
      consumers.use(new Consumer(proxy.url, filter, () => random.below(1000) / 1000)),
    );
    const writers = Array.from({ length: WRITERS }, (_, at) => new HttpWriter(`web-${String(at)}`, random));

    const trouble = async (): Promise<void> => {
      const kind = random.below(4);
      if (kind === 0) proxy.cut();
      else if (kind === 1) proxy.cutAfter(random.below(20_000));
      else {
        proxy.stall();
        await delay(random.below(CHURN_MS_MAX));
        // The stalled data arrives now, or is lost with the connection.
        if (kind === 2) proxy.cut();
        proxy.flow();
      }
    };

    try {
      for (let round = 1; round <= rounds(ROUNDS); round++) {
        const over = new AbortController();
        const writing = Promise.all(writers.map((writer) => writer.run(daemon.url, over.signal)));
        await delay(random.below(CHURN_MS_MAX));
        const paces = all.map(() => random.pick(PACES_MS));
        for (const [at, consumer] of all.entries()) consumer.setPace({ ms: paces[at] ?? 0, full: random.pick(WHOLE) });
        await trouble();
        await Promise.race([delay(random.below(CHURN_MS_MAX)), writing]);
        if (round % RESTART_EVERY === 0) {
          await daemon.end(random.pick(['SIGTERM', 'SIGKILL']));
          daemon = await startDaemon({ stateDir });
          proxy.target = daemon.url;
        }
        over.abort();
        await writing;
        proxy.flow();

        for (const [at, consumer] of all.entries()) consumer.setPace({ ms: paces[at] ?? 0 });
        const lists = await listsOf(daemon.url);
        for (const { ledger } of writers) ledger.compare(lists);
        for (const consumer of all) {
          await vi.waitFor(() => {
            expect(consumer.state).toBe('live');
            expect(consumer.deliveredRows).toEqual(consumer.expected(lists));
          });
        }
      }
    } finally {
      await daemon.end('SIGKILL');
    }
    const sum = (count: (consumer: Consumer) => number): string =>
      String(all.reduce((total, one) => total + count(one), 0));
    console.log(
      `${String(proxy.cuts)} cuts, live ${sum(({ connectionCount: lives }) => lives)} times, by ${sum(({ snapshots }) => snapshots)} snapshots`,
    );
  },
  roundsTimeoutMs(ROUNDS, 5000),
);
