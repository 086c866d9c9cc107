import { setTimeout as sleep } from 'node:timers/promises';
import { EVENTS, isLive, LARGE, measureIdle, SMALL, STORM, typedFilters, USUAL } from '../console-measures.ts';
import { ConsoleTerminal, type TerminalSize } from '../console-terminal.ts';
import { formatNumber, quantile } from '../report.ts';
import { startStorm, type Storm } from '../storm.ts';
import { interleaved, type ComparedClone, type Sides } from './figures.ts';

const ROUNDS = 5;
const STARTS = 3;
const FILTERS = 12;
const IDLE_MS = 8000;
/** Time until the console has read all events for the first time and V8 has compiled its repeated code. */
const WARM_UP_MS = 5000;

/** Compares the consoles of both clones on the same feed. */
export async function consoles(sides: Sides): Promise<void> {
  await using storm = await startStorm(EVENTS);
  await interleaved(ROUNDS, sides, [
    firstFrames,
    (side) => usualScreen(side, storm),
    (side) => otherScreen(side, storm, SMALL, '80x24'),
    (side) => otherScreen(side, storm, LARGE, '200x50'),
  ]);
}

function terminalOf({ clone }: ComparedClone, backend: string, size: TerminalSize): ConsoleTerminal {
  return new ConsoleTerminal(backend, size, { clone });
}

async function firstFrames(side: ComparedClone): Promise<void> {
  // The first start is not measured, because it fills the caches.
  for (let start = 0; start <= STARTS; start++) {
    await using terminal = terminalOf(side, 'http://127.0.0.1:9', USUAL);
    const { delayMs } = await terminal.until((screen) => screen.includes('connecting to'));
    if (start > 0) side.record('console: start to first frame', delayMs, 'ms');
    await terminal.quit();
  }
}

async function usualScreen(side: ComparedClone, storm: Storm): Promise<void> {
  storm.applyOrder({ changesPerSecond: STORM, pings: false });
  await using terminal = terminalOf(side, storm.url, USUAL);
  const { delayMs } = await terminal.until(isLive, 30_000);
  side.record(`console: start to live with ${formatNumber(EVENTS)} events`, delayMs, 'ms');
  await sleep(WARM_UP_MS);
  const inStorm = await measureIdle(terminal, IDLE_MS);
  side.record('console: storm at 120x36, of a core', inStorm.cpu, '%');
  side.record('console: output in a storm', inStorm.kilobytesPerSecond, 'kB/s');
  const { pages } = await typedFilters(terminal, FILTERS);
  const delays = pages.map((page) => page.delayMs);
  side.record('console: a key in the filter to its first rows, p50', quantile(delays, 0.5), 'ms');
  side.record('console: a key in the filter to its first rows, p99', quantile(delays, 0.99), 'ms');
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

async function otherScreen(side: ComparedClone, storm: Storm, size: TerminalSize, name: string): Promise<void> {
  storm.applyOrder({ changesPerSecond: STORM, pings: false });
  await using terminal = terminalOf(side, storm.url, size);
  await terminal.until(isLive, 30_000);
  await sleep(WARM_UP_MS);
  side.record(`console: storm at ${name}, of a core`, (await measureIdle(terminal, IDLE_MS)).cpu, '%');
}
