import { readdirSync, readFileSync } from 'node:fs';

/** The numbers of all processes of this machine. */
function allProcesses(): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

/** A file of a process in `/proc`, with its arguments or variables separated by blanks; empty when the process has ended. */
function fileOf(pid: number, name: 'cmdline' | 'environ' | 'stat'): string {
  try {
    return readFileSync(`/proc/${String(pid)}/${name}`, 'latin1').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}

/** Processes with this text in their command line. Zombies have none. */
export function processesWithArgument(text: string): readonly number[] {
  return allProcesses().filter((pid) => fileOf(pid, 'cmdline').includes(text));
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
