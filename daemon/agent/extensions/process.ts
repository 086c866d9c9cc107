import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { pid as ownPid } from 'node:process';
import { promisify } from 'node:util';
import { z } from 'zod';
import { defineExtension, extensionResult, numberSchema } from './extension.ts';

const runProgram = promisify(execFile);
/** Maximum size of the process list that `ps` prints, in bytes. */
const LIST_BYTES_MAX = 64 * 1024 * 1024;

const parametersSchema = z
  .strictObject({
    /** The name of the program, without its directory. */
    name: z.string().min(1).optional(),
    /** A text that the command line must contain. */
    contains: z.string().min(1).optional(),
    min: numberSchema.pipe(z.int().min(0)).default(1),
    max: numberSchema.pipe(z.int().min(0)).optional(),
  })
  .refine(({ name, contains }) => name !== undefined || contains !== undefined, 'set "name" or "contains"');

interface RunningProcess {
  readonly pid: number;
  /** The command line of the process, its arguments joined with spaces; for a kernel thread, its name. */
  readonly commandLine: string;
}

/** Checks that the number of matching processes is within limits. The agent's own process is not counted. */
export const processes = defineExtension(
  'process',
  parametersSchema,
  async ({ name, contains, min, max }, { signal }) => {
    const matches = (await listProcesses(signal)).filter(
      ({ pid, commandLine }) =>
        pid !== ownPid &&
        (name === undefined || programOf(commandLine) === name) &&
        (contains === undefined || commandLine.includes(contains)),
    );
    const limits = [`at least ${String(min)}`, ...(max === undefined ? [] : [`at most ${String(max)}`])].join(', ');
    const what = [
      ...(name === undefined ? [] : [`named "${name}"`]),
      ...(contains === undefined ? [] : [`with "${contains}" in the command line`]),
    ].join(' and ');
    const isRight = matches.length >= min && matches.length <= (max ?? Number.POSITIVE_INFINITY);
    const count = matches.length === 1 ? '1 process' : `${String(matches.length)} processes`;
    return extensionResult('process', isRight ? 0 : 2, `${count} ${what} (${limits} must run)`);
  },
);

async function listProcesses(signal: AbortSignal): Promise<RunningProcess[]> {
  const pids = (await readdir('/proc').catch(() => [])).filter((entry) => /^\d+$/.test(entry));
  // Systems without processes in `/proc`, such as macOS, list them with the program `ps`.
  if (pids.length === 0) return await listWithPs(signal);
  const entries = await Promise.all(pids.map(readProcess));
  return entries.filter((running) => running !== undefined);
}

/**
 * Reads one process from `/proc`.
 *
 * @returns the process; undefined if it has ended meanwhile
 */
async function readProcess(pid: string): Promise<RunningProcess | undefined> {
  try {
    const commandLine = (await readFile(`/proc/${pid}/cmdline`, 'utf8')).replaceAll('\0', ' ').trim();
    return { pid: Number(pid), commandLine: commandLine || (await readFile(`/proc/${pid}/comm`, 'utf8')).trim() };
  } catch {
    return undefined;
  }
}

async function listWithPs(signal: AbortSignal): Promise<RunningProcess[]> {
  const { stdout } = await runProgram('ps', ['-A', '-ww', '-o', 'pid=,args='], { signal, maxBuffer: LIST_BYTES_MAX });
  return stdout.split('\n').flatMap((line) => {
    const [, pid, commandLine] = /^\s*(\d+) (.*)$/.exec(line) ?? [];
    return pid === undefined || commandLine === undefined ? [] : [{ pid: Number(pid), commandLine }];
  });
}

/**
 * Returns the program name at the beginning of a command line: `nginx` for `/usr/sbin/nginx -g x`, and also for `nginx:
 * worker process`.
 */
function programOf(commandLine: string): string {
  return basename(commandLine.split(/:? /, 1)[0] ?? '');
}
