import { performance } from 'node:perf_hooks';
import { BenchAgent, CHECKS_EACH, checkJson, closedLoop, openLoop } from './bench-agent.ts';
import { startBackend, type BenchBackend } from './backend-process.ts';
import type { BenchSizes } from './bench-sizes.ts';
import { Line, postLoop } from './http-line.ts';
import { EVENTS, MEMBERS, postResults } from './post-results.ts';
import { preciseCpuMs } from './process-figures.ts';
import { count, quantile, report } from './report.ts';

const ROUNDS = 9;
const AGENTS = 100;
/** Results per second, far below what they can take. */
const CALM_RATE = 10_000;
const WARM_UP_MS = 3000;
const SILENCES = 5000;
const QUESTION_MS = 400;
const ABOUT_EVENTS = [
  '/events',
  '/events?limit=100',
  '/events/web-500/check-5',
  '/results?limit=1000',
  '/silenced',
  '/silenced/checks/disk-500',
];
const ABOUT_AGGREGATES = [
  '/aggregates/all',
  '/aggregates/all?max_age=3600',
  '/aggregates/all/clients',
  '/aggregates/all/checks',
  '/aggregates/all/results/critical',
];

interface Side {
  readonly backend: BenchBackend;
  readonly agents: readonly BenchAgent[];
  /** Of each round, by what they are. */
  readonly figures: Map<string, { readonly unit: string; readonly values: number[] }>;
}

/**
 * The backends of another clone and of this one, each part of the load on one and then on the other: the speed of a machine
 * changes from minute to minute, what is measured in turns changes with it. Medians of `ROUNDS`, the other clone first. Without
 * another one this one stands beside itself: so much do the figures vary by themselves.
 */
export async function run(seconds: number, { other }: BenchSizes): Promise<void> {
  await using before = await startBackend({ clone: other });
  await using now = await startBackend();
  const sides = [await sideOf(before), await sideOf(now)];
  const partMs = (seconds * 1000) / 4;
  const parts = [flood, calm, inArrays, single];
  for (const { agents, backend } of sides) await closedLoop(agents, backend.pid, WARM_UP_MS);
  await inTurns(sides, parts, partMs);
  closeAgents(sides);
  const wholeSides = await Promise.all(sides.map(tellingWhole));
  await inTurns(wholeSides, [floodWhole], partMs / 2);
  closeAgents(wholeSides);
  for (const { backend } of sides) {
    await postResults(backend, EVENTS);
    await postSilences(backend);
  }
  await inTurns(sides, ABOUT_EVENTS.map(questionOf), QUESTION_MS);
  for (const { backend } of sides) await postResults(backend, MEMBERS);
  await inTurns(sides, ABOUT_AGGREGATES.map(questionOf), QUESTION_MS);
  reportMedians(sides);
}

async function sideOf(backend: BenchBackend): Promise<Side> {
  const agents = await BenchAgent.connectAll(backend.url, AGENTS);
  return { backend, agents, figures: new Map() };
}

function closeAgents(sides: readonly Side[]): void {
  for (const { agents } of sides) for (const agent of agents) agent.close();
}

/** With agents of the same names that do not shorten. */
async function tellingWhole(side: Side): Promise<Side> {
  return { ...side, agents: await BenchAgent.connectAll(side.backend.url, AGENTS, { isWhole: true }) };
}

/** Each round begins with the side with which the one before ended. */
async function inTurns(
  sides: readonly Side[],
  parts: readonly ((side: Side, ms: number) => Promise<void>)[],
  ms: number,
): Promise<void> {
  for (let round = 0; round < ROUNDS; round++) {
    const order = round % 2 === 0 ? sides : sides.toReversed();
    for (const part of parts) for (const side of order) await part(side, ms);
  }
}

function note({ figures }: Side, what: string, value: number, unit: string): void {
  const figure = figures.get(what);
  if (figure === undefined) figures.set(what, { unit, values: [value] });
  else figure.values.push(value);
}

async function flood(side: Side, ms: number): Promise<void> {
  const { rate, cpuMicroseconds } = await closedLoop(side.agents, side.backend.pid, ms);
  note(side, 'results of agents, as fast as they go', rate, '/s');
  note(side, 'a result of them: CPU', cpuMicroseconds, 'us');
}

async function floodWhole(side: Side, ms: number): Promise<void> {
  const { rate } = await closedLoop(side.agents, side.backend.pid, ms);
  note(side, 'agents whose results are told whole', rate, '/s');
}

async function calm(side: Side, ms: number): Promise<void> {
  const cpuBefore = preciseCpuMs(side.backend.pid);
  const { p50, p99, reached } = await openLoop(side.agents, CALM_RATE, ms);
  const cpu = preciseCpuMs(side.backend.pid) - cpuBefore;
  const what = `acknowledgement at ${count(CALM_RATE)} results/s`;
  note(side, `${what}, p50`, p50, 'ms');
  note(side, `${what}, p99`, p99, 'ms');
  note(side, `${what}: CPU`, (cpu * 1e6) / (reached * ms), 'us');
}

async function inArrays(side: Side, ms: number): Promise<void> {
  const load = { path: '/api/mon/v1/results', connections: 16, ms };
  const { rate } = await postLoop(
    side.backend,
    load,
    (connection, at) => `[${posted(connection, 50 * at, 50).join()}]`,
  );
  note(side, 'results in arrays of 50, 16 connections', rate * 50, '/s');
}

async function single(side: Side, ms: number): Promise<void> {
  const load = { path: '/results', connections: 64, ms };
  const { rate, cpuMicroseconds } = await postLoop(side.backend, load, (connection, at) =>
    posted(connection, at, 1).join(),
  );
  note(side, 'POST /results, 64 connections', rate, '/s');
  note(side, 'POST /results: CPU', cpuMicroseconds, 'us');
}

function posted(connection: number, start: number, results: number): string[] {
  const more = { source: `poster-${String(connection)}` };
  return Array.from({ length: results }, (_, at) =>
    checkJson(`check-${String((start + at) % CHECKS_EACH)}`, start + at, ['default'], more),
  );
}

function questionOf(path: string) {
  return (side: Side, ms: number): Promise<void> => ask(side, path, ms);
}

async function ask(side: Side, path: string, ms: number): Promise<void> {
  const line = new Line(side.backend);
  const times: number[] = [];
  // Unmeasured: what runs for the first time is not compiled yet.
  for (let round = 0; round < 5; round++) await line.send('GET', path);
  const cpuBefore = preciseCpuMs(side.backend.pid);
  const endsAt = performance.now() + ms;
  while (times.length < 5 || performance.now() < endsAt) {
    const startedAt = performance.now();
    await line.send('GET', path);
    times.push(performance.now() - startedAt);
  }
  line.close();
  note(side, `GET ${path}`, quantile(times, 0.5), 'ms');
  note(side, `GET ${path}: CPU`, (preciseCpuMs(side.backend.pid) - cpuBefore) / times.length, 'ms');
}

/** Of nothing that is there. */
async function postSilences(backend: BenchBackend): Promise<void> {
  const line = new Line(backend);
  for (let at = 0; at < SILENCES; at++) {
    await line.send('POST', '/silenced', JSON.stringify({ subscription: 'nobody', check: `disk-${String(at)}` }));
  }
  line.close();
}

function reportMedians([before, now]: readonly Side[]): void {
  for (const [what, { unit, values }] of now?.figures ?? []) {
    const medians = [before?.figures.get(what)?.values ?? [], values].map((each) => quantile(each, 0.5));
    const [earlier = NaN, later = NaN] = medians;
    report(what, medians, unit, `${((later / earlier - 1) * 100).toFixed(1)} %`);
  }
}
