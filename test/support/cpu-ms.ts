/**
 * Returns the CPU time that this thread has used, in milliseconds. It measures work independently of other load, but
 * not the time that code waits.
 */
export function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/**
 * Returns the CPU time that all threads of this process have used, in milliseconds. It includes work in other threads,
 * such as hashing.
 */
export function allCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
