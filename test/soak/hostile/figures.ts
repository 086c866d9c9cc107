import { readdirSync, readlinkSync } from 'node:fs';
import { cpuMs, memoryMiB, waitedMs } from '../../../scripts/bench/process-figures.ts';
import { mean } from '../../../scripts/bench/report.ts';
import type { HonestFigures, HostileFigures } from './messages.ts';

/** What a process holds at a moment. */
export interface Held {
  readonly memoryMiB: number;
  readonly descriptors: number;
  readonly sockets: number;
  /** Of all threads, so far. */
  readonly cpuMs: number;
  /** How long its first thread was ready to run and had no core, so far: what is slow for that is not its fault. */
  readonly waitedMs: number;
}

export function heldBy(pid: number): Held {
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
    waitedMs: waitedMs(pid),
  };
}

/** How much more there is in the last third of the time than in the one before; undefined: there are too few to tell. */
export function growth(values: readonly number[]): number | undefined {
  const third = Math.floor(values.length / 3);
  if (third === 0) return undefined;
  return mean(values.slice(2 * third)) / mean(values.slice(third, 2 * third));
}

/** 0: there are none. */
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

/** One line of the table, of some seconds; of the hostile ones the sums since the start. */
export function rowOf(
  { atSeconds, seconds }: { readonly atSeconds: number; readonly seconds: number },
  { before, held }: { readonly before: Held; readonly held: Held },
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

/** How the attacks of each kind ended. */
export function endingsTable({ endings }: HostileFigures): string {
  return Object.entries(endings)
    .map(
      ([kind, { answered, refused, cut }]) =>
        `${kind.padEnd(56)} answered ${String(answered).padStart(7)}  refused ${String(refused).padStart(7)}  cut ${String(cut).padStart(7)}`,
    )
    .join('\n');
}

/** How often the log says what. */
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
