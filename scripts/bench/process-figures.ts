import { readdirSync, readFileSync } from 'node:fs';

/** User and system time so far, of all threads, in milliseconds; the kernel counts in steps of ten (proc(5), stat). */
export function cpuMs(pid: number): number {
  // The name of the process comes second, in parentheses, and may hold spaces.
  const fields =
    readFileSync(`/proc/${String(pid)}/stat`, 'utf8')
      .split(') ')
      .at(-1)
      ?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** As `cpuMs`, to the nanosecond (schedstat, first field); without the threads that have ended. */
export function preciseCpuMs(pid: number): number {
  const threads = `/proc/${String(pid)}/task`;
  const ofThread = (thread: string): number =>
    Number(readFileSync(`${threads}/${thread}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
  return readdirSync(threads).reduce((sum, thread) => sum + ofThread(thread), 0);
}

/** Of each process of PostgreSQL that serves a connection to the database at a URL, by their titles; in milliseconds. */
export function connectionsCpuMs(url: string): ReadonlyMap<number, number> {
  const database = new URL(url).pathname.slice(1);
  const cpuMsOf = new Map<number, number>();
  for (const pid of readdirSync('/proc').map(Number).filter(Number.isInteger)) {
    try {
      const title = readFileSync(`/proc/${String(pid)}/cmdline`, 'utf8');
      if (title.startsWith('postgres: ') && title.split(' ')[2] === database) cpuMsOf.set(pid, preciseCpuMs(pid));
    } catch {
      // It has ended meanwhile.
    }
  }
  return cpuMsOf;
}

/** What those of `after` have taken since `before`; without the connections that were closed meanwhile. */
export function takenMs(before: ReadonlyMap<number, number>, after: ReadonlyMap<number, number>): number {
  return [...after].reduce((sum, [pid, ms]) => sum + ms - (before.get(pid) ?? 0), 0);
}

/** How long the first thread, which runs the event loop, was ready and had no core so far (schedstat, second field). */
export function waitedMs(pid: number): number {
  return Number(readFileSync(`/proc/${String(pid)}/schedstat`, 'utf8').split(' ')[1]) / 1e6;
}

/** The most that it ever had. */
export function peakMemoryMiB(pid: number): number {
  return statusMiB(pid, 'VmHWM');
}

/** What it has now, apart: what it has for itself, and pages of files, which the system takes back when it needs them. */
export function memoryPartsMiB(pid: number): { readonly own: number; readonly files: number } {
  return { own: statusMiB(pid, 'RssAnon'), files: statusMiB(pid, 'RssFile') };
}

export function memoryMiB(pid: number): number {
  return statusMiB(pid, 'VmRSS');
}

/** A line of proc(5), status, which has it in KiB. */
function statusMiB(pid: number, name: string): number {
  const status = readFileSync(`/proc/${String(pid)}/status`, 'utf8');
  return Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024;
}

/** Descriptors that this process, and whoever it starts, may have. */
export function openFilesMax(): number {
  return Number(/Max open files\s+(\d+)/.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]);
}
