import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { programArguments } from './built-programs.ts';

const recordSchema = z.looseObject({ level: z.string(), message: z.string() });

export interface UpgradeProgram {
  readonly child: ChildProcess;
  /** Log records so far. */
  readonly records: z.infer<typeof recordSchema>[];
  /** Time from the first record to the last, in milliseconds. */
  readonly workedMs: () => number;
  /** Resolves when it has started. */
  readonly begun: Promise<void>;
  readonly ended: Promise<{ readonly code: number | null; readonly stderr: string }>;
}

/**
 * Runs `mon-backend` as a separate process, with arguments such as `upgrade`.
 *
 * @param stdin the input of the operator
 * @param blocksMax maximum size of a written file, in units of the shell; default: no limit
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
    // A dry run prints text for people.
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
