import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openApiClient } from '../../../shared/client/api-client.ts';
import type { ApiClient } from '../../../shared/client/api-client.ts';
import type { FeedClock } from '../../../shared/client/feed-clock.ts';
import { openFeed } from '../../../shared/client/feed-client.ts';
import { eventRow } from '../../../shared/domain/event-row.ts';
import { eventKey } from '../../../shared/domain/event-key.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { startCutProxy } from '../../support/cut-proxy.ts';
import { FeedRecorder } from '../../support/feed-recorder.ts';
import { startBackend } from '../../support/running-backend.ts';

/** Number of cuts: enough to hit every phase several times. `MON_TEST_CUTS=200` takes about half a minute. */
const CUTS = Number(process.env['MON_TEST_CUTS'] ?? 12);
const SEED = 20_261_120;

/** Factor by which the clock runs faster: pauses and heartbeats of seconds become milliseconds. */
const HASTE = 100;
const hasty: FeedClock = {
  now: () => Date.now() * HASTE,
  after(delayMs, task) {
    const timer = setTimeout(task, delayMs / HASTE);
    return { [Symbol.dispose]: () => clearTimeout(timer) };
  },
};

/** Returns the current state from the API, which the rows of the feed should equal. */
async function truth(api: ApiClient): Promise<{ events: unknown; silenced: string[]; clients: string[] }> {
  const [events, silenced, clients] = await Promise.all([api.events(), api.silenced(), api.clients()]);
  return {
    events: Object.fromEntries(
      events.map((event) => [
        eventKey(event.client.name, event.check.name),
        // Without the attributes, which are not in the JSON of a row.
        JSON.parse(JSON.stringify(eventRow(event))) as unknown,
      ]),
    ),
    silenced: silenced.map(({ id }) => id),
    clients: clients.map(({ name }) => name),
  };
}

test(`a feed that is cut ${String(CUTS)} times at random ends up with the state of the backend`, async () => {
  const random = seededRandom(SEED);
  const pick = (count: number): number => Math.floor(random() * count);
  await using backend = await startBackend();
  const proxy = await startCutProxy(backend.url, () => pick(pick(3) === 0 ? 1000 : 30_000));
  const recorder = new FeedRecorder();
  const feed = openFeed(
    { backend: proxy.url, topics: ['events', 'silenced', 'clients'], clock: hasty, random },
    recorder,
  );
  onTestFinished(() => feed.close());
  const api = openApiClient({ backend: backend.url, env: {} });

  while (proxy.cuts < CUTS) {
    await api.submitResults(
      Array.from({ length: 20 }, () => ({
        source: `web-${String(pick(10))}`,
        name: `check-${String(pick(4))}`,
        status: pick(4),
        output: 'x'.repeat(pick(100)),
      })),
    );
    const subscription = `client:web-${String(pick(10))}`;
    await (pick(2) === 0 ? api.silence({ subscription }) : api.clearSilenced({ subscription }));
    if (pick(20) === 0) await api.deleteClient(`web-${String(pick(10))}`).catch(() => undefined);
    // The backend sends changes every 50 ms: the pauses let it send some of them between the cuts.
    await pause(pick(20));
  }
  proxy.calm();
  await vi.waitFor(async () => {
    const { events, silenced, clients } = recorder.replica;
    expect(recorder.states.at(-1)).toEqual({ kind: 'live' });
    expect({
      events: Object.fromEntries(events),
      silenced: [...silenced.keys()].toSorted(),
      clients: [...clients.keys()].toSorted(),
    }).toEqual(await truth(api));
  });
  // The feed was live many times, so the cuts were not one long outage.
  expect(recorder.states.filter(({ kind }) => kind === 'live').length).toBeGreaterThan(CUTS / 8);
});
