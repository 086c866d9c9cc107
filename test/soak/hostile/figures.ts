import { readdirSync, readlinkSync } from 'node:fs';
import { cpuMs, memoryMiB, runQueueWaitMs } from '../../../scripts/bench/process-figures.ts';
import { meanOf } from '../../../scripts/bench/report.ts';
import type { HonestFigures, HostileFigures } from './messages.ts';

/** The resources that a process uses at one moment. */
export interface ResourceUsage {
  readonly memoryMiB: number;
  readonly descriptors: number;
  readonly sockets: number;
  /** CPU time of all threads since the start of the process. */
  readonly cpuMs: number;
  /** Total time in which the first thread was ready but had no CPU core. It shows that the machine is overloaded. */
  readonly waitedMs: number;
}

export function resourceUsageOf(pid: number): ResourceUsage {
  const folder = `/proc/${String(pid)}/fd`;
  const descriptors = readdirSync(folder);
  const sockets = descriptors.filter((fd) => {
    try {
      return readlinkSync(`${folder}/${fd}`).startsWith('socket:');
    } catch {
      return false;
    }
  });
  return {
    memoryMiB: memoryMiB(pid),
    descriptors: descriptors.length,
    sockets: sockets.length,
    cpuMs: cpuMs(pid),
    waitedMs: runQueueWaitMs(pid),
  };
}

/**
 * Returns the mean of the last third of the values divided by the mean of the middle third; `undefined` if there are
 * fewer than three values.
 */
export function growth(values: readonly number[]): number | undefined {
  const third = Math.floor(values.length / 3);
  if (third === 0) return undefined;
  return meanOf(values.slice(2 * third)) / meanOf(values.slice(third, 2 * third));
}

/** Returns the median; 0 if there are no values. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
}

const WIDTHS = [6, 9, 8, 8, 6, 6, 8, 6, 8, 9, 9, 8, 8, 8];

export const HEADING = row([
  'at s',
  'acked/s',
  'p50 ms',
  'p99 ms',
  'cpu %',
  'wait %',
  'MiB',
  'fds',
  'sockets',
  'hostile',
  'refused',
  'cut',
  'asked',
  'slow ms',
]);

/** Returns one line of the table for an interval. The counts of the hostile clients are totals since the start. */
export function rowOf(
  { atSeconds, seconds }: { readonly atSeconds: number; readonly seconds: number },
  { before, held }: { readonly before: ResourceUsage; readonly held: ResourceUsage },
  honest: HonestFigures,
  hostile: HostileFigures,
): string {
  const endings = Object.values(hostile.endings);
  const sum = (ending: 'refused' | 'cut'): number => endings.reduce((total, counts) => total + counts[ending], 0);
  return row([
    atSeconds.toFixed(0),
    (honest.acked / seconds).toFixed(0),
    honest.p50Ms.toFixed(0),
    honest.p99Ms.toFixed(0),
    ((held.cpuMs - before.cpuMs) / seconds / 10).toFixed(0),
    ((held.waitedMs - before.waitedMs) / seconds / 10).toFixed(0),
    held.memoryMiB.toFixed(0),
    String(held.descriptors),
    String(held.sockets),
    String(hostile.open),
    String(sum('refused')),
    String(sum('cut')),
    String(honest.requests),
    honest.slowestMs.toFixed(0),
  ]);
}

/** Returns a table that counts the outcomes of each kind of attack. */
export function endingsTable({ endings }: HostileFigures): string {
  return Object.entries(endings)
    .map(
      ([kind, { answered, refused, cut }]) =>
        `${kind.padEnd(56)} answered ${String(answered).padStart(7)}  refused ${String(refused).padStart(7)}  cut ${String(cut).padStart(7)}`,
    )
    .join('\n');
}

/** Returns a table that counts how often the log contains each message. */
export function messagesTable(records: readonly { readonly level: string; readonly message: string }[]): string {
  const counts = new Map<string, number>();
  for (const { level, message } of records) {
    const line = `${level.padEnd(5)} ${message}`;
    counts.set(line, (counts.get(line) ?? 0) + 1);
  }
  return [...counts].map(([line, count]) => `${String(count).padStart(8)} ${line}`).join('\n');
}

function row(cells: readonly string[]): string {
  return cells.map((cell, at) => cell.padStart(WIDTHS[at] ?? 8)).join(' ');
}
