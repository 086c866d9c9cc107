import { once } from 'node:events';
import { createServer } from 'node:http';
import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { listenOnFreePort } from '../lib/free-port.ts';
import { startBackend, type BenchBackend } from './backend-process.ts';
import { BenchAgent } from './bench-agent.ts';
import { postJson } from './http-line.ts';
import { preciseCpuMs } from './process-figures.ts';
import { formatNumber, quantileOf, reportFigure } from './report.ts';
import { measureCpuPerResult, type ComparedBackend } from './side-by-side.ts';

const CONNECTION_COUNT = 30;
/** Target of results per second, for all backends together. */
const RESULTS_PER_SECOND = 15_000;
const WARM_UP_MS = 5000;
/** Number of parts into which the measured time is divided; the reported value is the median of the parts. */
const PART_COUNT = 9;

/** Number of results in the aggregate, including the results of the agents. */
const MEMBER_COUNT = 25_000;
const CHECKS_PER_CLIENT = 100;
/** Number of open events while inhibition rules change and while idle silences are counted. */
const OPEN_EVENT_COUNT = 100_000;
const SILENCE_COUNT = 1000;
/** An idle backend uses at most this CPU time in 250 ms. It counts as idle after `IDLE_AFTER_MS`. */
const IDLE_MS = 30;
const IDLE_AFTER_MS = 1500;

/** One of the compared backends, which differ only in their configuration. */
interface NamedBackend extends ComparedBackend {
  readonly what: string;
}

/**
 * Measures the cost per result of grouping, inhibition rules and aggregate rules; the change of inhibition rules with
 * 100,000 open events; and the count of silences that have long matched nothing.
 */
export async function measureGroups(seconds: number): Promise<void> {
  await costPerResult(seconds);
  await changeOfRules();
  await countOfIdle();
}

/**
 * Measures three backends side by side under the same load, so that other load on the machine affects all equally. The
 * first has a handler that gets each event separately. The second additionally has all three features, but they match
 * no result. In the third, all results are grouped, match inhibition rules, and count in an aggregate of 25,000 members
 * with a rule. One in twenty checks fails.
 */
async function costPerResult(seconds: number): Promise<void> {
  await using receiver = await openReceiver();
  const { url } = receiver;
  // This filter lets no event pass, so that the cost of handler runs is excluded.
  const filters = { never: { attributes: { check: { name: 'of-nobody' } } } };
  const each = { type: 'webhook', url, filters: ['never'] };
  await using plain = await startBackend({ settings: { filters, handlers: { default: each } } });
  await using unused = await startBackend({
    settings: { filters, handlers: { default: each, grouped: groupingHandler(url) }, ...buildRules('of-nobody') },
  });
  await using used = await startBackend({
    settings: { handlers: { default: groupingHandler(url) }, ...buildRules('check-1') },
  });
  const sides = await Promise.all(
    Object.entries({ plain, unused, used }).map(async ([what, backend]): Promise<NamedBackend> => {
      await postResults(backend, MEMBER_COUNT, { status: 0, aggregates: ['fleet'] });
      return { what, backend, agents: await BenchAgent.connectAll(backend.url, CONNECTION_COUNT) };
    }),
  );
  for (const [changes, share] of [
    ['nothing changes', 0],
    ['one result of a hundred changes', 0.01],
  ] as const) {
    for (const { agents } of sides) for (const agent of agents) agent.change(share, { aggregates: ['fleet'] });
    await measureCpuPerResult(sides, WARM_UP_MS, RESULTS_PER_SECOND);
    const parts: (readonly number[])[] = [];
    while (parts.length < PART_COUNT)
      parts.push(await measureCpuPerResult(sides, (seconds * 1000) / PART_COUNT, RESULTS_PER_SECOND));
    for (const [at, { what }] of sides.entries()) {
      if (at === 0) continue;
      const of = (figure: (part: readonly number[]) => number): number => quantileOf(parts.map(figure), 0.5);
      const more = of(([without = NaN, ...costs]) => ((costs[at - 1] ?? NaN) / without - 1) * 100).toFixed(1);
      const goal = what === 'unused' ? 'goal within 3' : 'no goal';
      const without = formatNumber(of(([cost = NaN]) => cost));
      reportFigure(
        `CPU per result, rules and groups ${what}, ${changes}`,
        of((part) => part[at] ?? NaN),
        'us',
        `${more} %, without ${without}; ${goal}; ${machineLoadText()}`,
      );
    }
  }
  for (const { agents } of sides) for (const agent of agents) agent.close();
}

/**
 * Measures the reload that replaces an inhibition rule without matches by a rule with which, on each client, one event
 * inhibits all others; and the reload that restores the first rule.
 */
async function changeOfRules(): Promise<void> {
  const handlers = { default: { type: 'pipe', command: 'true' } };
  const without = { behind: buildRules('of-nobody').inhibitions.behind };
  await using backend = await startBackend({ settings: { handlers, inhibitions: without }, isLoopWatched: true });
  await postResults(backend, OPEN_EVENT_COUNT, { status: 2, handlers: [] });
  for (const [what, inhibitions, inhibited] of [
    [
      'are quiet',
      { behind: buildRules('check-1').inhibitions.behind },
      OPEN_EVENT_COUNT - OPEN_EVENT_COUNT / CHECKS_PER_CLIENT,
    ],
    ['are free', without, 0],
  ] as const) {
    await backend.loopDelay();
    const cpu = preciseCpuMs(backend.pid);
    const startedAt = performance.now();
    await backend.reload({ handlers, inhibitions });
    const endedAt = await waitUntilInhibited(backend, inhibited);
    const { work } = await backend.loopDelay();
    const name = `other inhibitions, ${formatNumber(OPEN_EVENT_COUNT)} open events ${what}`;
    const spent = `${formatNumber(preciseCpuMs(backend.pid) - cpu)} ms of CPU; ${machineLoadText()}`;
    reportFigure(`${name}: all of it`, endedAt - startedAt, 'ms', spent);
    reportFigure(`${name}: a turn of the loop, p99.9 / max`, [work.p999, work.max], 'ms', 'its own CPU');
  }
}

/**
 * Waits until this many events are inhibited and the backend is idle.
 *
 * @returns the time at which both conditions were first met (`performance.now()`)
 */
async function waitUntilInhibited(backend: BenchBackend, inhibited: number): Promise<number> {
  let busyAt = performance.now();
  do {
    const cpu = preciseCpuMs(backend.pid);
    await sleep(250);
    if (preciseCpuMs(backend.pid) - cpu > IDLE_MS || (await inhibitedCount(backend)) !== inhibited)
      busyAt = performance.now();
  } while (performance.now() - busyAt < IDLE_AFTER_MS);
  return busyAt;
}

/** Measures the CPU of the minute in which the backend checks which silences by selector have matched nothing. */
async function countOfIdle(): Promise<void> {
  await using backend = await startBackend({ settings: { 'silence-idle-after': 60 }, isLoopWatched: true });
  await postResults(backend, OPEN_EVENT_COUNT, { status: 2, handlers: [] });
  await sleep(60_000);
  for (let at = 0; at < SILENCE_COUNT; at++) {
    const selector = `client=gone-${String(at)} env=prod`;
    await postJson(`${backend.url}/api/mon/v1/silenced`, { selector, reason: 'bench' });
  }
  const idleNow = async (): Promise<number> => {
    const answer = await fetch(`${backend.url}/api/mon/v1/silenced?q=idle&limit=1`);
    await answer.arrayBuffer();
    return (JSON.parse(answer.headers.get('x-pagination') ?? '{}') as { total?: number }).total ?? 0;
  };
  await backend.loopDelay();
  let cpu = preciseCpuMs(backend.pid);
  let busiest = 0;
  // CPU is measured second by second, so that the wait for idle silences is not included.
  while ((await idleNow()) < SILENCE_COUNT) {
    await sleep(1000);
    const now = preciseCpuMs(backend.pid);
    busiest = Math.max(busiest, now - cpu);
    cpu = now;
  }
  const { work } = await backend.loopDelay();
  const name = `${formatNumber(SILENCE_COUNT)} silences by search become idle, ${formatNumber(OPEN_EVENT_COUNT)} open events`;
  reportFigure(`${name}: the busiest second`, busiest, 'ms', `of CPU; ${machineLoadText()}`);
  reportFigure(`${name}: a turn of the loop, p99.9 / max`, [work.p999, work.max], 'ms', 'its own CPU');
}

async function postResults({ url }: BenchBackend, results: number, more: object): Promise<void> {
  for (let at = 0; at < results / CHECKS_PER_CLIENT; at++) {
    const source = `seed-${String(at)}`;
    const checks = Array.from({ length: CHECKS_PER_CLIENT }, (_, check) =>
      Object.assign({ source, name: `check-${String(check)}`, output: 'seeded' }, more),
    );
    await postJson(`${url}/api/mon/v1/results`, checks);
  }
}

async function inhibitedCount({ url }: BenchBackend): Promise<number> {
  const [rule] = (await (await fetch(`${url}/api/mon/v1/inhibitions`)).json()) as { readonly inhibited?: number }[];
  return rule?.inhibited ?? 0;
}

function groupingHandler(url: string): object {
  return { type: 'webhook', url, group_by: ['client'], group_wait: 1, group_interval: 5 };
}

/**
 * Returns the inhibition rules and the aggregate rule of a backend.
 *
 * @param check name of the check that the rules match; `of-nobody` matches none
 */
function buildRules(check: string): { readonly inhibitions: { readonly behind: object; readonly team: object } } {
  return Object.assign(
    {
      inhibitions: {
        behind: { source: `check="${check}" status=crit`, target: `check!="${check}"`, equal: ['client'] },
        team: { source: `check="${check}" team=operations`, target: 'team=others' },
      },
    },
    // The backend with unused features needs the rule too, for an aggregate without results: rules are keyed by the
    // name of their aggregate.
    { 'aggregate-rules': { [check === 'of-nobody' ? check : 'fleet']: { warning: '10%', critical: '50%' } } },
  );
}

function machineLoadText(): string {
  return `load ${(loadavg()[0] ?? 0).toFixed(1)}`;
}

async function openReceiver(): Promise<AsyncDisposable & { readonly url: string }> {
  const server = createServer((request, response) => {
    request.resume();
    request.on('end', () => response.end());
  });
  const port = await listenOnFreePort(server);
  return {
    url: `http://127.0.0.1:${String(port)}/`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
