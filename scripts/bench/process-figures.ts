import { readdirSync, readFileSync } from 'node:fs';

/**
 * Returns the user and system time of all threads of a process since its start, in milliseconds. The kernel counts it
 * in units of ten milliseconds (proc(5), stat).
 */
export function cpuMs(pid: number): number {
  // The process name is the second field, in parentheses, and may contain spaces.
  const fields =
    readFileSync(`/proc/${String(pid)}/stat`, 'utf8')
      .split(') ')
      .at(-1)
      ?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/**
 * Returns the CPU time of a process in milliseconds like `cpuMs`, but with nanosecond precision (schedstat, first
 * field) and without threads that have ended.
 */
export function preciseCpuMs(pid: number): number {
  const threads = `/proc/${String(pid)}/task`;
  const ofThread = (thread: string): number =>
    Number(readFileSync(`${threads}/${thread}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
  return readdirSync(threads).reduce((sum, thread) => sum + ofThread(thread), 0);
}

/**
 * Returns the CPU time in milliseconds of each PostgreSQL process that serves a connection to this database, by its
 * process id. The process title contains the database name.
 */
export function connectionsCpuMs(url: string): ReadonlyMap<number, number> {
  const database = new URL(url).pathname.slice(1);
  const cpuMsOf = new Map<number, number>();
  for (const pid of readdirSync('/proc').map(Number).filter(Number.isInteger)) {
    try {
      const title = readFileSync(`/proc/${String(pid)}/cmdline`, 'utf8');
      if (title.startsWith('postgres: ') && title.split(' ')[2] === database) cpuMsOf.set(pid, preciseCpuMs(pid));
    } catch {
      // The process has ended in the meantime.
    }
  }
  return cpuMsOf;
}

/**
 * Returns the CPU time in milliseconds that the processes in `after` used since `before`. Connections that closed in
 * between are not included.
 */
export function cpuMsBetween(before: ReadonlyMap<number, number>, after: ReadonlyMap<number, number>): number {
  return [...after].reduce((sum, [pid, ms]) => sum + ms - (before.get(pid) ?? 0), 0);
}

/**
 * Returns how long the main thread, which runs the event loop, was ready to run but had no CPU core, in milliseconds
 * (schedstat, second field).
 */
export function runQueueWaitMs(pid: number): number {
  return Number(readFileSync(`/proc/${String(pid)}/schedstat`, 'utf8').split(' ')[1]) / 1e6;
}

/** Returns the maximum memory that a process has used so far, in MiB. */
export function peakMemoryMiB(pid: number): number {
  return statusMiB(pid, 'VmHWM');
}

/**
 * Returns the current memory of a process: `own` is anonymous memory; `files` is mapped files, which the kernel can
 * reclaim.
 */
export function memoryPartsMiB(pid: number): { readonly own: number; readonly files: number } {
  return { own: statusMiB(pid, 'RssAnon'), files: statusMiB(pid, 'RssFile') };
}

export function memoryMiB(pid: number): number {
  return statusMiB(pid, 'VmRSS');
}

/** Returns a memory figure from proc(5), status, converted from KiB to MiB. */
function statusMiB(pid: number, name: string): number {
  const status = readFileSync(`/proc/${String(pid)}/status`, 'utf8');
  return Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024;
}
