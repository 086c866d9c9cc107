import { performance } from 'node:perf_hooks';
import { startBackend, type BenchBackend } from './backend-process.ts';
import { HttpConnection, serverCpuMs, type BenchServer } from './http-line.ts';
import { memoryMiB } from './process-figures.ts';
import { EVENT_GRID, MEMBER_GRID, postResults } from './post-results.ts';
import { formatNumber, quantileOf, reportFigure } from './report.ts';
import { RESULTS_PER_SECOND, whileResultsComeIn } from './background-results.ts';

const SILENCE_COUNT_SMALL = 5000;
const SILENCE_COUNT_LARGE = 100_000;
/** Number of silences that name the same check. */
const SILENCES_PER_CHECK = 10;
const CONNECTION_COUNT = 32;

/**
 * Measures the response times of the API's most expensive requests. Each request is repeated over one connection, and
 * its response is read completely. The results have 600 bytes each. The documentation page about performance contains
 * reference values from a similar machine.
 */
export async function measureApi(seconds: number): Promise<void> {
  await using backend = await startBackend({ isLoopWatched: true });
  const ask = new HttpConnection(backend);
  console.log(`p50 / p99 and CPU of the backend, from ${String(seconds)} s each over loopback`);

  await postResults(backend, EVENT_GRID);
  await measureRequest(
    ask,
    seconds,
    'GET /events, 10,000 events',
    '/events',
    'goal 60 ms, 25 of CPU; the peer 219, 10,000 alerts of Alertmanager 139',
  );
  await measureRequest(ask, seconds, 'GET /results, 10,000 results', '/results', 'the peer 627 for 20,000');
  const besides = `GET /events, while ${formatNumber(RESULTS_PER_SECOND)} results/s come in`;
  const reached = await whileResultsComeIn(backend, () =>
    watchLoop(backend, besides, () => measureRequest(ask, seconds, besides, '/events', 'goal p99 60 ms')),
  );
  reportFigure('results beside it', reached, '/s');
  await measureRequest(ask, seconds, 'GET /events?limit=100 of them', '/events?limit=100', 'goal 3 ms; the peer 93');
  await measureRequest(ask, seconds, 'GET /events/:client/:check', '/events/web-500/check-5', '');

  await postSilences(backend, 0, SILENCE_COUNT_SMALL);
  await measureRequest(
    ask,
    seconds,
    'GET /silenced, 5,000 entries',
    '/silenced',
    'goal 20 ms; the peer 215 for 10,000, Alertmanager 27',
  );
  await measureRequest(ask, seconds, 'GET /events, with them', '/events', '');
  await postSilences(backend, SILENCE_COUNT_SMALL, SILENCE_COUNT_LARGE);
  const among = 'among 100,000 entries, 10 found';
  await measureRequest(ask, seconds, `GET /silenced/checks/:check, ${among}`, '/silenced/checks/disk-500', 'goal 1 ms');
  await measureRequest(
    ask,
    seconds,
    `GET /silenced/subscriptions/:s, ${among}`,
    '/silenced/subscriptions/role-500',
    'goal 1 ms',
  );
  await measureRequest(
    ask,
    seconds,
    'GET /silenced/ids/:id, among 100,000',
    '/silenced/ids/role-500:disk-500',
    'the peer 60 among 10,000',
  );

  const before = memoryMiB(backend.pid);
  await postResults(backend, MEMBER_GRID);
  const membersText = 'of 100,000 members, three in four failing';
  await measureRequest(ask, seconds, `GET /aggregates/:a ${membersText}`, '/aggregates/all', 'goal 2 ms');
  await watchLoop(backend, 'the same with max_age', () =>
    measureRequest(ask, seconds, 'the same with max_age', '/aggregates/all?max_age=3600', 'goal 20 ms'),
  );
  await measureRequest(ask, seconds, 'the same after each change of a silence', '/aggregates/all', '', () =>
    ask.send('POST', '/silenced', JSON.stringify({ subscription: 'nobody' })),
  );
  await measureRequest(ask, seconds, 'GET /aggregates/:a/clients of them', '/aggregates/all/clients', '');
  await measureRequest(ask, seconds, 'GET /aggregates/:a/checks of them', '/aggregates/all/checks', '');
  const critical = 'GET /aggregates/:a/results/critical, 25,000';
  await watchLoop(backend, critical, () =>
    measureRequest(ask, seconds, critical, '/aggregates/all/results/critical', 'goal 50 ms'),
  );
  reportFigure('memory of the backend', memoryMiB(backend.pid), 'MiB', `${formatNumber(before)} before the members`);
  ask.close();
}

/** Measures the delay of the backend's event loop during an action, and the part of it that is the loop's own work. */
async function watchLoop(backend: BenchBackend, what: string, act: () => Promise<void>): Promise<void> {
  await backend.loopDelay();
  await act();
  const { late, work } = await backend.loopDelay();
  reportFigure(`${what}: loop late, p99.9 / max`, [late.p999, late.max], 'ms', 'goal p99.9 10 ms');
  reportFigure(`${what}: CPU of one turn, p99.9 / max`, [work.p999, work.max], 'ms', 'goal p99.9 10 ms');
}

/** Repeats a request for the given time, but at least ten times. */
async function measureRequest(
  line: HttpConnection,
  seconds: number,
  name: string,
  path: string,
  remark: string,
  before: () => Promise<unknown> = async () => undefined,
): Promise<void> {
  const times: number[] = [];
  // The first five requests are not measured, because the code that runs for the first time is not compiled yet.
  for (let round = 0; round < 5; round++) await line.send('GET', path);
  const cpuBefore = serverCpuMs(line);
  const end = performance.now() + seconds * 1000;
  while (times.length < 10 || performance.now() < end) {
    await before();
    const start = performance.now();
    await line.send('GET', path);
    times.push(performance.now() - start);
  }
  const cpu = (serverCpuMs(line) - cpuBefore) / times.length;
  reportFigure(name, [quantileOf(times, 0.5), quantileOf(times, 0.99)], 'ms', remark);
  reportFigure(`${name}: CPU`, cpu, 'ms');
}

/** Creates silences that match no event, with as many different subscriptions as checks. */
async function postSilences(backend: BenchServer, from: number, to: number): Promise<void> {
  const groups = SILENCE_COUNT_LARGE / SILENCES_PER_CHECK;
  let next = from;
  await Promise.all(
    Array.from({ length: CONNECTION_COUNT }, async () => {
      const line = new HttpConnection(backend);
      while (next < to) {
        const entry = next++;
        const check = entry % groups;
        const subscription = (check + Math.floor(entry / groups)) % groups;
        const body = {
          subscription: `role-${String(subscription)}`,
          check: `disk-${String(check)}`,
          reason: 'maintenance',
        };
        await line.send('POST', '/silenced', JSON.stringify(body));
      }
      line.close();
    }),
  );
}
