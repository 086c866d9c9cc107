/** Kills all processes of a process group. Does nothing if the group has already ended. */
export function killGroup(group: number): void {
  try {
    process.kill(-group, 'SIGKILL');
  } catch {
    // The group is gone already.
  }
}
