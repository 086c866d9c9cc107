/**
 * Milliseconds until a check that runs every `intervalMs` is due: the whole fleet is spread evenly over the interval,
 * and one check keeps its place across restarts and on every machine (completion 1.13).
 *
 * @param splayKey the first eight bytes of the MD5 of the check's name, little-endian; `client:check` for a standalone
 *   check. The caller hashes, because rules know no cryptography.
 * @param intervalMs whole milliseconds, at least 1
 * @param nowMs epoch milliseconds
 * @returns 0 to `intervalMs - 1`; 0 is now
 */
export function nextRunDelayMs(splayKey: bigint, intervalMs: number, nowMs: number): number {
  const interval = BigInt(intervalMs);
  const remainder = (splayKey - BigInt(Math.floor(nowMs))) % interval;
  return Number(remainder < 0n ? remainder + interval : remainder);
}

/**
 * When a run that was due at `dueMs` is due again. Counted from the ideal time, so that late timers do not add up; runs
 * that were missed (a machine that slept) are not made up for, the next one keeps its place in the interval.
 *
 * @param dueMs when the last run should have been, epoch milliseconds
 * @param nowMs epoch milliseconds
 * @returns epoch milliseconds, later than `nowMs`, and later than `dueMs` by a multiple of `intervalMs`
 */
export function nextDueMs(dueMs: number, intervalMs: number, nowMs: number): number {
  const passed = Math.max(0, Math.floor((nowMs - dueMs) / intervalMs));
  return dueMs + (passed + 1) * intervalMs;
}
