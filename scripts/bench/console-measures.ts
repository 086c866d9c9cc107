import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FrameArrival, ConsoleTerminal, TerminalSize } from './console-terminal.ts';
import { formatNumber } from './report.ts';

export const EVENT_COUNT = 100_000;
/** Number of changes per second during a storm. */
export const STORM_CHANGES_PER_SECOND = 5000;
export const SMALL_TERMINAL: TerminalSize = { columns: 80, rows: 24 };
export const MEDIUM_TERMINAL: TerminalSize = { columns: 120, rows: 36 };
export const LARGE_TERMINAL: TerminalSize = { columns: 200, rows: 50 };

export function isLive(screen: string): boolean {
  return (
    (screen.includes('LIVE') && screen.includes(`of ${formatNumber(EVENT_COUNT)} events`)) ||
    / [\d,]+\/100,000/.test(screen)
  );
}

export function showsRow(row: number): (screen: string) => boolean {
  return (screen) => screen.includes(`row ${formatNumber(row)}/`);
}

/** The resources that the console uses while nobody types. */
export interface IdleUsage {
  /** CPU usage in percent of one core. */
  readonly cpu: number;
  readonly kilobytesPerSecond: number;
}

export async function measureIdle(terminal: ConsoleTerminal, ms: number): Promise<IdleUsage> {
  const [cpuBefore, bytesBefore, startedAt] = [terminal.cpuMs, terminal.received, performance.now()];
  await sleep(ms);
  const elapsedMs = performance.now() - startedAt;
  return {
    cpu: (100 * (terminal.cpuMs - cpuBefore)) / elapsedMs,
    kilobytesPerSecond: (terminal.received - bytesBefore) / elapsedMs,
  };
}

/**
 * Types and deletes filters. Each keystroke changes the number of matches, so a frame that shows another number has
 * processed the key. The first frame may show only the number of matches found so far (`24+`).
 *
 * @returns for each key, when its first rows were visible, and when all matches were counted
 */
export async function typedFilters(
  terminal: ConsoleTerminal,
  rounds: number,
): Promise<{ readonly pages: readonly FrameArrival[]; readonly counts: readonly FrameArrival[] }> {
  const pages: FrameArrival[] = [];
  const counts: FrameArrival[] = [];
  for (let round = 0; round < rounds; round++) {
    await terminal.press('/', (screen) => /^ \//m.test(screen));
    const term = String(200 + round * 29);
    for (const key of [...term.split(''), ...term.split('').fill('\u007F')]) {
      await sleep(40 + Math.random() * 80);
      const before = shownCountText(terminal.lines.join('\n'));
      const page = await terminal.press(key, (screen) => shownCountText(screen) !== before);
      const fullCount = await terminal.until((screen) => shownCountText(screen)?.endsWith('+') === false);
      pages.push(page);
      counts.push({ delayMs: page.delayMs + fullCount.delayMs, coreMs: page.coreMs + fullCount.coreMs });
    }
    await terminal.press('\r', (screen) => !/^ \//m.test(screen));
  }
  return { pages, counts };
}

function shownCountText(screen: string): string | undefined {
  return /([\d,]+\+?) of [\d,]+ events shown/.exec(screen)?.[1];
}
