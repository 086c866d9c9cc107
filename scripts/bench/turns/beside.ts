import { performance } from 'node:perf_hooks';
import { startBackend, type BenchBackend } from '../backend-process.ts';
import { HttpConnection } from '../http-line.ts';
import { EVENT_GRID, postResults } from '../post-results.ts';
import { formatNumber, quantileOf } from '../report.ts';
import { RESULTS_PER_SECOND, whileResultsComeIn } from '../background-results.ts';
import { runAlternately, type ComparedClone, type ComparedClones } from './figures.ts';

const ROUND_COUNT = 5;
const MEASUREMENT_NAME = `GET /events, 10,000 events, beside ${formatNumber(RESULTS_PER_SECOND)} results/s`;

/** Measures the response time of the longest list while results arrive, and how long the list blocks the event loop. */
export async function listDuringResults([before, now]: ComparedClones, seconds: number): Promise<void> {
  await using earlier = await startBackend({ clone: before.clone, isLoopWatched: true });
  await using later = await startBackend({ clone: now.clone, isLoopWatched: true });
  const both = [
    { side: before, backend: earlier },
    { side: now, backend: later },
  ];
  for (const { backend } of both) await postResults(backend, EVENT_GRID);
  await runAlternately(ROUND_COUNT, both, [({ side, backend }) => measureList(side, backend, seconds)]);
}

async function measureList(side: ComparedClone, backend: BenchBackend, seconds: number): Promise<void> {
  const line = new HttpConnection(backend);
  const times: number[] = [];
  const reached = await whileResultsComeIn(backend, async () => {
    await line.send('GET', '/events');
    await backend.loopDelay();
    const endsAt = performance.now() + seconds * 1000;
    while (performance.now() < endsAt) {
      const startedAt = performance.now();
      await line.send('GET', '/events');
      times.push(performance.now() - startedAt);
    }
    const { work } = await backend.loopDelay();
    side.record(`${MEASUREMENT_NAME}: CPU of one turn of the loop, p99.9`, work.p999, 'ms');
  });
  line.close();
  side.record(`${MEASUREMENT_NAME}, p50`, quantileOf(times, 0.5), 'ms');
  side.record(`${MEASUREMENT_NAME}, p99`, quantileOf(times, 0.99), 'ms');
  side.record(`${MEASUREMENT_NAME}: results`, reached, '/s');
}
