import { readdirSync, readFileSync } from 'node:fs';
import { uptime } from 'node:os';

/** Returns the ids of all processes on this machine. */
function allProcesses(): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

type ProcessFile = 'cmdline' | 'environ' | 'stat';

/** Returns a file of a process in `/proc`; empty when the process has ended. */
function rawFileOf(pid: number, name: ProcessFile): string {
  try {
    return readFileSync(`/proc/${String(pid)}/${name}`, 'latin1');
  } catch {
    return '';
  }
}

/** Returns the file with blanks between arguments or variables. */
function fileOf(pid: number, name: ProcessFile): string {
  return rawFileOf(pid, name).replaceAll('\0', ' ');
}

/** Returns processes with this text in their command line. Zombies have none. */
export function processesWithArgument(text: string): readonly number[] {
  return allProcesses().filter((pid) => fileOf(pid, 'cmdline').includes(text));
}

/** Returns processes that were started with this environment variable, as `NAME=value`. */
export function processesWithVariable(variable: string): readonly number[] {
  return allProcesses().filter((pid) => rawFileOf(pid, 'environ').split('\0').includes(variable));
}

/** Returns the id and the command line of a process. */
export function describeProcess(pid: number): string {
  return `${String(pid)} (${fileOf(pid, 'cmdline').trim()})`;
}

/** Ticks of `starttime` per second, as on every Linux that Node.js supports. */
const TICKS = 100;

/** Returns when a process was started, in epoch milliseconds; exact to a tick. */
export function startedMs(pid: number): number {
  const fields = fileOf(pid, 'stat')
    .replace(/^.*\) /s, '')
    .split(' ');
  return Date.now() - uptime() * 1000 + (Number(fields[19]) / TICKS) * 1000;
}

/** Returns the running children of a process. */
export function childrenOf(parent: number): readonly number[] {
  return allProcesses().filter((pid) => {
    // The name, in parentheses, may contain blanks and parentheses itself.
    const [state, ppid] = fileOf(pid, 'stat')
      .replace(/^.*\) /s, '')
      .split(' ');
    return state !== 'Z' && Number(ppid) === parent;
  });
}

/** Returns the watchdogs of commands among the children of a process. */
export function watchdogsOf(parent: number): readonly number[] {
  return childrenOf(parent).filter((pid) => fileOf(pid, 'cmdline').includes('while read -r sign id group'));
}

/**
 * A shell command that kills the process that runs commands for it. It checks the parent first. If another
 * command has already killed that process, the parent is the one that adopts orphans, such as the supervisor of
 * a test run.
 */
export const KILL_RUNNER = "grep -qs '^mon-backend commands' /proc/$PPID/cmdline && kill -KILL $PPID";
