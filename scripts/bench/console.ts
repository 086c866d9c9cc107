import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  EVENT_COUNT,
  isLive,
  LARGE_TERMINAL,
  measureIdle,
  showsRow,
  SMALL_TERMINAL,
  STORM_CHANGES_PER_SECOND,
  typedFilters,
  MEDIUM_TERMINAL,
} from './console-measures.ts';
import { ConsoleTerminal, type FrameArrival, type TerminalSize } from './console-terminal.ts';
import { EchoTerminal } from './echo-terminal.ts';
import { formatNumber, quantileOf, reportFigure } from './report.ts';
import { startStorm, type Storm } from './storm.ts';

const HEAVY_STORM = 20_000;
const START_COUNT = 10;
const KEY_COUNT = 1000;
/** Key sequences, and by how many rows each moves the cursor. */
const CURSOR_MOVES: readonly (readonly [keys: string, rows: number])[] = [
  ...Array.from({ length: 9 }, () => ['j', 1] as const),
  ['jjjjj', 5],
  ['kk', -2],
  ['j'.repeat(100), 100],
];
/**
 * Time after a key in which the console certainly does not reorder the list, in milliseconds. It is a little less than
 * the console's actual pause.
 */
const ORDER_STANDS_MS = 300;
/**
 * Time limit for a key to move the cursor as expected. After it, the key counts as astray: it arrived after the list
 * was reordered.
 */
const KEY_MS_MAX = 2000;
const FILTER_ROUNDS = 25;
const FOLD_ROUNDS = 10;
const VIEW_ROUNDS = 20;
const IDLE_MS = 8000;
const STALL_MS = 3000;

/**
 * Measures the built console in a pseudo-terminal, with a feed of 100,000 events and a storm of changes that are all
 * visible. It covers the time from a key to its frame, CPU, memory, output bytes, and the start. The goals are the
 * quality goals of the console.
 *
 * On a busy machine, use the figures "without waits": they exclude the time in which the console or the benchmark was
 * ready to run but had no CPU core.
 */
export async function measureConsole(): Promise<void> {
  reportMachine();
  await measureStarts();
  await using storm = await startStorm(EVENT_COUNT);
  await measureMediumScreen(storm);
  for (const size of [LARGE_TERMINAL, SMALL_TERMINAL]) await measureScreen(storm, size);
  await mergedList();
  reportMachine();
}

async function measureStarts(): Promise<void> {
  for (const [name, env, goal] of [
    ['start to first frame, warm', {}, 'goal 150, under 200'],
    ['start to first frame, code not compiled yet', { NODE_DISABLE_COMPILE_CACHE: '1' }, 'goal 250'],
  ] as const) {
    const delays: number[] = [];
    // The first start is not measured, because it fills the caches.
    for (let round = 0; round <= START_COUNT; round++) {
      await using terminal = new ConsoleTerminal('http://127.0.0.1:9', MEDIUM_TERMINAL, { env });
      const { delayMs } = await terminal.until((screen) => screen.includes('connecting to'));
      if (round > 0) delays.push(delayMs);
      await terminal.quit();
    }
    reportFigure(`${name}, p50 / fastest`, [quantileOf(delays, 0.5), Math.min(...delays)], 'ms', goal);
  }
}

async function measureMediumScreen(storm: Storm): Promise<void> {
  storm.applyOrder({ changesPerSecond: STORM_CHANGES_PER_SECOND, pings: false });
  await using terminal = new ConsoleTerminal(storm.url, MEDIUM_TERMINAL);
  const { delayMs } = await terminal.until(isLive, 30_000);
  reportFigure(`start to live with ${formatNumber(EVENT_COUNT)} events`, delayMs, 'ms', 'goal 700');
  const memories = [20, 60, 120].map((seconds) => memoryMiBAfter(terminal, seconds));
  await reportIdle(terminal, { name: 'storm', cpu: 15, kilobytes: 60 });
  await measureKeys(terminal, storm, { changesPerSecond: STORM_CHANGES_PER_SECOND, size: MEDIUM_TERMINAL, goalMs: 30 });
  reportFigure('memory after 20 / 60 / 120 s', await Promise.all(memories), 'MiB', 'goal 350');
  await terminal.press('g', showsRow(1));
  await filterKeys(terminal, 'goal p99 33');
  // The event under the cursor is far down in the list, so its position among the matches is known only after all
  // matches are found.
  await terminal.press(':101\r', showsRow(101));
  await sleep(2000);
  await filterKeys(terminal, '', ', with the cursor far down');
  await measureFolds(terminal);
  await measureViews(terminal);
  await measureStall(terminal);

  terminal.write('p');
  await terminal.until((screen) => screen.includes('PAUSED'));
  await reportIdle(terminal, { name: 'storm, paused', cpu: 5 });
  terminal.write('p');
  terminal.write('\u001B[O');
  await reportIdle(terminal, { name: 'storm, without the focus', cpu: 5 });
  terminal.write('\u001B[I');

  await measureKeys(terminal, storm, { changesPerSecond: HEAVY_STORM, size: MEDIUM_TERMINAL, goalMs: 33 });
  storm.applyOrder({ changesPerSecond: 0, pings: false });
  await sleep(2000);
  await reportIdle(terminal, { name: 'quiet', cpu: 3, kilobytes: 1 });
}

async function measureScreen(storm: Storm, size: TerminalSize): Promise<void> {
  storm.applyOrder({ changesPerSecond: STORM_CHANGES_PER_SECOND, pings: false });
  await using terminal = new ConsoleTerminal(storm.url, size);
  await terminal.until(isLive, 30_000);
  await sleep(2000);
  await reportIdle(terminal, { name: `storm at ${sizeText(size)}`, cpu: size === LARGE_TERMINAL ? 20 : 10 });
  if (size === LARGE_TERMINAL)
    await measureKeys(terminal, storm, { changesPerSecond: STORM_CHANGES_PER_SECOND, size, goalMs: 33 });
}

/**
 * Measures the events of two backends as one merged list. Together, they have the same number of events and changes as
 * the single backend in the other measurements.
 */
async function mergedList(): Promise<void> {
  await using one = await startStorm(EVENT_COUNT / 2);
  await using two = await startStorm(EVENT_COUNT / 2);
  const both: Storm = {
    url: one.url,
    applyOrder: ({ changesPerSecond, pings }) => {
      for (const storm of [one, two]) storm.applyOrder({ changesPerSecond: changesPerSecond / 2, pings });
    },
    takeAnswerDelays: () => [...one.takeAnswerDelays(), ...two.takeAnswerDelays()],
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
  both.applyOrder({ changesPerSecond: STORM_CHANGES_PER_SECOND, pings: false });
  const folder = await mkdtemp(join(tmpdir(), 'mon-bench-'));
  const config = join(folder, 'console.yml');
  const contexts = `{ contexts: { one: { backend: "${one.url}" }, two: { backend: "${two.url}" } } }\n`;
  await writeFile(config, contexts);
  try {
    await using terminal = new ConsoleTerminal('', MEDIUM_TERMINAL, {
      programArguments: ['--config', config, '--context', 'all'],
    });
    const { delayMs } = await terminal.until(
      (screen) => screen.includes('2 of 2 live') && screen.includes(`of ${formatNumber(EVENT_COUNT)} events`),
      30_000,
    );
    reportFigure('start to live, two backends as one list', delayMs, 'ms');
    await sleep(2000);
    await reportIdle(terminal, { name: 'storm, two backends as one list' });
    await measureKeys(terminal, both, {
      changesPerSecond: STORM_CHANGES_PER_SECOND,
      size: MEDIUM_TERMINAL,
      goalMs: 30,
      name: ', two backends as one list',
    });
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function memoryMiBAfter(terminal: ConsoleTerminal, seconds: number): Promise<number> {
  await sleep(seconds * 1000 - terminal.ageMs);
  return terminal.memoryMiB;
}

/** Measures CPU and output of the console while nobody types. */
async function reportIdle(
  terminal: ConsoleTerminal,
  options: { readonly name: string; readonly cpu?: number; readonly kilobytes?: number },
): Promise<void> {
  const { cpu, kilobytesPerSecond } = await measureIdle(terminal, IDLE_MS);
  reportFigure(
    `CPU of one core, ${options.name}`,
    cpu,
    '%',
    options.cpu === undefined ? '' : `goal ${String(options.cpu)}`,
  );
  if (options.kilobytes !== undefined) {
    reportFigure(`output, ${options.name}`, kilobytesPerSecond, 'kB/s', `goal ${String(options.kilobytes)}`);
  }
}

/**
 * Measures movements of the cursor through the list. Each round starts after a pause in which the list was reordered.
 * Within a round the order is paused, and the row of the cursor shows which key a frame has processed.
 */
async function measureKeys(
  terminal: ConsoleTerminal,
  storm: Storm,
  options: {
    readonly changesPerSecond: number;
    readonly size: TerminalSize;
    readonly goalMs: number;
    /** Suffix for the name of the figure. */
    readonly name?: string;
  },
): Promise<void> {
  const { changesPerSecond, size, goalMs } = options;
  const name = `${formatNumber(changesPerSecond)} changes/s at ${sizeText(size)}${options.name ?? ''}`;
  storm.applyOrder({ changesPerSecond, pings: true });
  storm.takeAnswerDelays();
  await using echo = await EchoTerminal.open();
  const echoes: number[] = [];
  const arrivals: FrameArrival[] = [];
  let astray = 0;
  const cpuBefore = terminal.cpuMs;
  const startedAt = performance.now();
  while (arrivals.length < KEY_COUNT) {
    for (let key = 0; key < CURSOR_MOVES.length; key++) {
      await sleep(30 + Math.random() * 10);
      echoes.push(await echo.press());
    }
    let pressedAt = performance.now();
    let row = 1;
    arrivals.push(await terminal.press('g', showsRow(row)));
    for (const [key, by] of CURSOR_MOVES) {
      await sleep(20 + Math.random() * 80);
      // The machine was busy, and the list may have been reordered in the meantime.
      if (performance.now() - pressedAt > ORDER_STANDS_MS) break;
      pressedAt = performance.now();
      row += by;
      const arrival = await terminal.press(key, showsRow(row), KEY_MS_MAX).catch(() => undefined);
      if (arrival === undefined) {
        astray++;
        break;
      }
      arrivals.push(arrival);
    }
  }
  storm.applyOrder({ changesPerSecond, pings: false });
  const cpu = (100 * (terminal.cpuMs - cpuBefore)) / (performance.now() - startedAt);
  reportArrivals(
    `key to frame, ${name}`,
    arrivals,
    `goal p99 ${String(goalMs)}, slowest 150; ${String(astray)} keys after the order had moved on`,
  );
  reportFigure(
    `echo of a program that does nothing else, ${name}`,
    summaryQuantiles(echoes),
    'ms',
    'the share of the machine',
  );
  reportFigure(`CPU of one core, ${name}, with keys`, cpu, '%');
  const delays = storm.takeAnswerDelays();
  reportFigure(
    `answer to a ping, p99 / slowest, ${name}`,
    [quantileOf(delays, 0.99), Math.max(...delays)],
    'ms',
    'loop lag: goal p99 15, slowest 100',
  );
}

async function filterKeys(terminal: ConsoleTerminal, goal: string, where = ''): Promise<void> {
  const { pages, counts } = await typedFilters(terminal, FILTER_ROUNDS);
  reportArrivals(`key in the filter to its first rows, ${formatNumber(EVENT_COUNT)} events${where}`, pages, goal);
  reportArrivals(`key in the filter to its whole result, ${formatNumber(EVENT_COUNT)} events${where}`, counts);
}

/** Measures how long folding all events into rows takes, and the CPU while the rows are updated in the storm. */
async function measureFolds(terminal: ConsoleTerminal): Promise<void> {
  const arrivals: FrameArrival[] = [];
  for (let round = 0; round < FOLD_ROUNDS; round++) {
    for (const by of ['check', 'output', 'cause']) {
      terminal.write(`:fold ${by}`);
      await terminal.until((screen) => screen.includes(`fold ${by}`));
      arrivals.push(await terminal.press('\r', (screen) => screen.includes(` by ${by} `)));
    }
  }
  reportArrivals(`folding ${formatNumber(EVENT_COUNT)} events`, arrivals, 'goal slowest 100');
  await terminal.press(':fold check\r', (screen) => screen.includes(' by check '));
  await reportIdle(terminal, { name: 'storm, folded by check' });
  await terminal.press(':fold off\r', (screen) => isLive(screen));
}

/** Measures how long a digit takes to open a view. */
async function measureViews(terminal: ConsoleTerminal): Promise<void> {
  const arrivals: FrameArrival[] = [];
  for (let round = 0; round < VIEW_ROUNDS; round++) {
    for (const tab of ['1 Overview', '3 Silences', '5 Clients', '2 Events']) {
      await sleep(100);
      arrivals.push(await terminal.press(tab.charAt(0), (screen) => screen.includes(`[${tab}]`)));
    }
  }
  reportArrivals('digit to the view', arrivals, 'goal slowest 50');
}

/** Measures a terminal that accepts no output for a while. The console must not show outdated frames afterwards. */
async function measureStall(terminal: ConsoleTerminal): Promise<void> {
  await terminal.press(':100\r', showsRow(100));
  terminal.pauseReading();
  const bytesBefore = terminal.received;
  await sleep(STALL_MS - 200);
  terminal.write('g');
  await sleep(200);
  terminal.resumeReading();
  const { delayMs } = await terminal.until(showsRow(1));
  const kilobytes = (terminal.received - bytesBefore) / 1000;
  reportFigure(
    'right screen after a stall of 3 s',
    delayMs,
    'ms',
    `${kilobytes.toFixed(0)} kB; goal 200, one old frame`,
  );
}

/**
 * Reports the load of the machine. A load above that of the benchmark's own two or three processes means that other
 * programs use the cores too.
 */
function reportMachine(): void {
  const [lastMinute = 0] = loadavg();
  reportFigure('load of the machine', lastMinute, '', `${String(availableParallelism())} cores`);
}

function reportArrivals(name: string, arrivals: readonly FrameArrival[], goal = ''): void {
  const delays = arrivals.map(({ delayMs }) => delayMs);
  const own = arrivals.map(({ delayMs, coreMs }) => Math.max(0, delayMs - coreMs));
  reportFigure(name, summaryQuantiles(delays), 'ms', `${goal}; ${formatNumber(arrivals.length)} keys`);
  reportFigure(`${name}, without waits`, summaryQuantiles(own), 'ms');
}

/** Returns the median, the 99th percentile and the maximum of the values. */
function summaryQuantiles(values: readonly number[]): readonly number[] {
  return [quantileOf(values, 0.5), quantileOf(values, 0.99), Math.max(...values)];
}

function sizeText({ columns, rows }: TerminalSize): string {
  return `${String(columns)}x${String(rows)}`;
}
