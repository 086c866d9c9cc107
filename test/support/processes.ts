import { readdirSync, readFileSync } from 'node:fs';
import { uptime } from 'node:os';

/** The numbers of all processes of this machine. */
function allProcesses(): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

type ProcessFile = 'cmdline' | 'environ' | 'stat';

/** A file of a process in `/proc`; empty when the process has ended. */
function rawFileOf(pid: number, name: ProcessFile): string {
  try {
    return readFileSync(`/proc/${String(pid)}/${name}`, 'latin1');
  } catch {
    return '';
  }
}

/** The same, with blanks between arguments or variables. */
function fileOf(pid: number, name: ProcessFile): string {
  return rawFileOf(pid, name).replaceAll('\0', ' ');
}

/** Processes with this text in their command line. Zombies have none. */
export function processesWithArgument(text: string): readonly number[] {
  return allProcesses().filter((pid) => fileOf(pid, 'cmdline').includes(text));
}

/** Processes with this variable in the environment that they were started with, as `NAME=value`. */
export function processesWithVariable(variable: string): readonly number[] {
  return allProcesses().filter((pid) => rawFileOf(pid, 'environ').split('\0').includes(variable));
}

/** The number and the command line of a process. */
export function describeProcess(pid: number): string {
  return `${String(pid)} (${fileOf(pid, 'cmdline').trim()})`;
}

/** Ticks of `starttime` in a second, as on every Linux that Node.js runs on. */
const TICKS = 100;

/** When a process was started, in epoch milliseconds; exact to a tick. */
export function startedMs(pid: number): number {
  const fields = fileOf(pid, 'stat')
    .replace(/^.*\) /s, '')
    .split(' ');
  return Date.now() - uptime() * 1000 + (Number(fields[19]) / TICKS) * 1000;
}

/** Processes that a process has started, and that still run. */
export function childrenOf(parent: number): readonly number[] {
  return allProcesses().filter((pid) => {
    // The name, in parentheses, may contain blanks and parentheses itself.
    const [state, ppid] = fileOf(pid, 'stat')
      .replace(/^.*\) /s, '')
      .split(' ');
    return state !== 'Z' && Number(ppid) === parent;
  });
}

/** The watchdogs over commands among the children of a process. */
export function watchdogsOf(parent: number): readonly number[] {
  return childrenOf(parent).filter((pid) => fileOf(pid, 'cmdline').includes('while read -r sign id group'));
}

/**
 * A shell command that kills the process that runs commands for it. It looks first whether that is its parent: when
 * another one has killed that process before, the parent is whatever adopts orphans, such as the supervisor of a test
 * run.
 */
export const KILL_RUNNER = "grep -qs '^mon-backend commands' /proc/$PPID/cmdline && kill -KILL $PPID";
