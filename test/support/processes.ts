import { readdirSync, readFileSync } from 'node:fs';
import { uptime } from 'node:os';

/** Returns the ids of all processes on this machine, which must run Linux. */
function allProcesses(): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

type ProcessFile = 'cmdline' | 'environ' | 'stat';

/** Returns the content of a file of a process in `/proc`; the empty string if the process has ended. */
function rawFileOf(pid: number, name: ProcessFile): string {
  try {
    return readFileSync(`/proc/${String(pid)}/${name}`, 'latin1');
  } catch {
    return '';
  }
}

/** Returns the content of a file of a process in `/proc`, with its NUL separators replaced by spaces. */
function fileOf(pid: number, name: ProcessFile): string {
  return rawFileOf(pid, name).replaceAll('\0', ' ');
}

/** Returns the ids of the processes whose command line contains this text. Zombie processes have no command line. */
export function processesWithArgument(text: string): readonly number[] {
  return allProcesses().filter((pid) => fileOf(pid, 'cmdline').includes(text));
}

/** Returns the ids of the processes that were started with this environment variable, given as `NAME=value`. */
export function processesWithVariable(variable: string): readonly number[] {
  return allProcesses().filter((pid) => rawFileOf(pid, 'environ').split('\0').includes(variable));
}

/** Returns the id and the command line of a process as text. */
export function describeProcess(pid: number): string {
  return `${String(pid)} (${fileOf(pid, 'cmdline').trim()})`;
}

/**
 * Clock ticks per second, the unit of process start times. The value is the same on every Linux that Node.js supports.
 */
const TICKS = 100;

/** Returns the start time of a process in epoch milliseconds, accurate to a clock tick. */
export function startedMs(pid: number): number {
  const fields = fileOf(pid, 'stat')
    .replace(/^.*\) /s, '')
    .split(' ');
  return Date.now() - uptime() * 1000 + (Number(fields[19]) / TICKS) * 1000;
}

/** Returns the ids of the children of a process, without zombie processes. */
export function childrenOf(parent: number): readonly number[] {
  return allProcesses().filter((pid) => {
    // The process name is in parentheses, and may itself contain spaces and parentheses.
    const [state, ppid] = fileOf(pid, 'stat')
      .replace(/^.*\) /s, '')
      .split(' ');
    return state !== 'Z' && Number(ppid) === parent;
  });
}

/** Returns the ids of the command watchdogs among the children of a process. */
export function watchdogsOf(parent: number): readonly number[] {
  return childrenOf(parent).filter((pid) => fileOf(pid, 'cmdline').includes('while read -r sign id group'));
}

/**
 * A shell command that kills the process that runs it. It checks its parent's name first: if that process is already
 * dead, the parent is the process that adopts orphans, such as the supervisor of a test run.
 */
export const KILL_RUNNER = "grep -qs '^mon-backend commands' /proc/$PPID/cmdline && kill -KILL $PPID";
