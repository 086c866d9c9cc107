import { readFileSync } from 'node:fs';

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

/** How long the first thread, which runs the event loop, was ready and had no core so far (schedstat, second field). */
export function waitedMs(pid: number): number {
  return Number(readFileSync(`/proc/${String(pid)}/schedstat`, 'utf8').split(' ')[1]) / 1e6;
}

/** The most that it ever had. */
export function peakMemoryMiB(pid: number): number {
  return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${String(pid)}/status`, 'utf8'))?.[1]) / 1024;
}

/** What it has now, apart: what it has for itself, and pages of files, which the system takes back when it needs them. */
export function memoryPartsMiB(pid: number): { readonly own: number; readonly files: number } {
  const status = readFileSync(`/proc/${String(pid)}/status`, 'utf8');
  const part = (name: string): number => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024;
  return { own: part('RssAnon'), files: part('RssFile') };
}

export function memoryMiB(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${String(pid)}/status`, 'utf8'))?.[1]) / 1024;
}
