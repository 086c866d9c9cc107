/**
 * Returns the CPU time of this thread so far in milliseconds, which measures work independent of the load. Only
 * for code that does not wait.
 */
export function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** Returns the CPU time of all threads of this process, for work in other threads such as hashing. */
export function allCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
