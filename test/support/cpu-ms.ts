/**
 * The CPU time of this thread so far, in milliseconds: how much work something is, however busy the machine. Of code that
 * waits for nothing.
 */
export function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** The same of all threads of this process: of work that is given to others of them, such as hashing. */
export function allCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
