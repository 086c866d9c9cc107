import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { programArguments } from './built-programs.ts';

const recordSchema = z.looseObject({ level: z.string(), message: z.string() });

export interface UpgradeProgram {
  readonly child: ChildProcess;
  /** All log records so far; lines that are not JSON have the level `text`. */
  readonly records: z.infer<typeof recordSchema>[];
  /** Returns the time between the first and the last record in milliseconds. */
  readonly workedMs: () => number;
  /** Resolves when the program has printed its first line. */
  readonly begun: Promise<void>;
  readonly ended: Promise<{ readonly code: number | null; readonly stderr: string }>;
}

/**
 * Runs `mon-backend` as a separate process, with arguments such as `upgrade`.
 *
 * @param stdin standard input of the program, such as the operator's answers
 * @param blocksMax maximum size of a written file in blocks (`ulimit -f`); default: no limit
 */
export function runUpgradeProgram(
  args: readonly string[],
  { stdin = '', blocksMax }: { stdin?: string; blocksMax?: number } = {},
): UpgradeProgram {
  const program = [process.execPath, ...programArguments('mon-backend'), ...args];
  const child =
    blocksMax === undefined
      ? spawn(process.execPath, program.slice(1))
      : spawn('sh', ['-c', `ulimit -S -f ${String(blocksMax)}; exec "$0" "$@"`, ...program]);
  child.stdin.end(stdin);
  const records: z.infer<typeof recordSchema>[] = [];
  const toldMs: number[] = [];
  const { promise: begun, resolve } = Promise.withResolvers<void>();
  const lines = createInterface(child.stdout).on('line', (line) => {
    // A dry run prints plain text.
    records.push(line.startsWith('{') ? recordSchema.parse(JSON.parse(line)) : { level: 'text', message: line });
    toldMs.push(performance.now());
    resolve();
  });
  const read = once(lines, 'close');
  const ended = Promise.all([text(child.stderr), once(child, 'close') as Promise<[number | null]>, read]).then(
    ([stderr, [code]]) => ({ code, stderr }),
  );
  return { child, records, workedMs: () => (toldMs.at(-1) ?? 0) - (toldMs[0] ?? 0), begun, ended };
}
