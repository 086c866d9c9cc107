import { setTimeout as sleep } from 'node:timers/promises';
import {
  EVENT_COUNT,
  isLive,
  LARGE_TERMINAL,
  measureIdle,
  SMALL_TERMINAL,
  STORM_CHANGES_PER_SECOND,
  typedFilters,
  MEDIUM_TERMINAL,
} from '../console-measures.ts';
import { ConsoleTerminal, type TerminalSize } from '../console-terminal.ts';
import { formatNumber, quantileOf } from '../report.ts';
import { startStorm, type Storm } from '../storm.ts';
import { runAlternately, type ComparedClone, type ComparedClones } from './figures.ts';

const ROUND_COUNT = 5;
const START_COUNT = 3;
const FILTER_COUNT = 12;
const IDLE_MS = 8000;
/** Time until the console has read all events for the first time and V8 has compiled its repeated code. */
const WARM_UP_MS = 5000;

/** Compares the consoles of both clones on the same feed. */
export async function compareConsoles(sides: ComparedClones): Promise<void> {
  await using storm = await startStorm(EVENT_COUNT);
  await runAlternately(ROUND_COUNT, sides, [
    firstFrames,
    (side) => measureMediumScreen(side, storm),
    (side) => measureScreen(side, storm, SMALL_TERMINAL, '80x24'),
    (side) => measureScreen(side, storm, LARGE_TERMINAL, '200x50'),
  ]);
}

function terminalOf({ clone }: ComparedClone, backend: string, size: TerminalSize): ConsoleTerminal {
  return new ConsoleTerminal(backend, size, { clone });
}

async function firstFrames(side: ComparedClone): Promise<void> {
  // The first start is not measured, because it fills the caches.
  for (let start = 0; start <= START_COUNT; start++) {
    await using terminal = terminalOf(side, 'http://127.0.0.1:9', MEDIUM_TERMINAL);
    const { delayMs } = await terminal.until((screen) => screen.includes('connecting to'));
    if (start > 0) side.record('console: start to first frame', delayMs, 'ms');
    await terminal.quit();
  }
}

async function measureMediumScreen(side: ComparedClone, storm: Storm): Promise<void> {
  storm.applyOrder({ changesPerSecond: STORM_CHANGES_PER_SECOND, pings: false });
  await using terminal = terminalOf(side, storm.url, MEDIUM_TERMINAL);
  const { delayMs } = await terminal.until(isLive, 30_000);
  side.record(`console: start to live with ${formatNumber(EVENT_COUNT)} events`, delayMs, 'ms');
  await sleep(WARM_UP_MS);
  const inStorm = await measureIdle(terminal, IDLE_MS);
  side.record('console: storm at 120x36, of a core', inStorm.cpu, '%');
  side.record('console: output in a storm', inStorm.kilobytesPerSecond, 'kB/s');
  const { pages } = await typedFilters(terminal, FILTER_COUNT);
  const delays = pages.map((page) => page.delayMs);
  side.record('console: a key in the filter to its first rows, p50', quantileOf(delays, 0.5), 'ms');
  side.record('console: a key in the filter to its first rows, p99', quantileOf(delays, 0.99), 'ms');
  terminal.write('\u001B[O');
  await sleep(WARM_UP_MS);
  side.record('console: storm without the focus, of a core', (await measureIdle(terminal, IDLE_MS)).cpu, '%');
  terminal.write('\u001B[I');
  storm.applyOrder({ changesPerSecond: 0, pings: false });
  await sleep(WARM_UP_MS);
  const idle = await measureIdle(terminal, IDLE_MS);
  side.record('console: quiet, of a core', idle.cpu, '%');
  side.record('console: output when it is quiet', idle.kilobytesPerSecond, 'kB/s');
  side.record('console: memory', terminal.memoryMiB, 'MiB');
}

async function measureScreen(side: ComparedClone, storm: Storm, size: TerminalSize, name: string): Promise<void> {
  storm.applyOrder({ changesPerSecond: STORM_CHANGES_PER_SECOND, pings: false });
  await using terminal = terminalOf(side, storm.url, size);
  await terminal.until(isLive, 30_000);
  await sleep(WARM_UP_MS);
  side.record(`console: storm at ${name}, of a core`, (await measureIdle(terminal, IDLE_MS)).cpu, '%');
}
