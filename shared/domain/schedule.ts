/**
 * Returns the milliseconds until the next run of a check that runs every `intervalMs`. Checks are spread evenly over
 * the interval. The offset of a check is the same after a restart and on every host (completion 1.13).
 *
 * @param splayKey the first eight bytes of the MD5 of the check's name, little-endian; for a standalone check, of
 *   `client:check`. The caller computes the hash, because domain rules use no cryptography.
 * @param intervalMs whole milliseconds, at least 1
 * @param nowMs epoch milliseconds
 * @returns 0 to `intervalMs - 1`; 0 if the check must run now
 */
export function nextRunDelayMs(splayKey: bigint, intervalMs: number, nowMs: number): number {
  const interval = BigInt(intervalMs);
  const remainder = (splayKey - BigInt(Math.floor(nowMs))) % interval;
  return Number(remainder < 0n ? remainder + interval : remainder);
}
