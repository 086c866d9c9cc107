/**
 * Returns the milliseconds until a check that runs every `intervalMs` is due. Checks are spread evenly over the
 * interval, and each has the same offset across restarts and machines (completion 1.13).
 *
 * @param splayKey the first eight bytes of the MD5 of the check's name, little-endian; for a standalone check, of
 *   `client:check`. The caller computes the hash, because domain rules use no cryptography.
 * @param intervalMs whole milliseconds, at least 1
 * @param nowMs epoch milliseconds
 * @returns 0 to `intervalMs - 1`; 0 means that the check is due now
 */
export function nextRunDelayMs(splayKey: bigint, intervalMs: number, nowMs: number): number {
  const interval = BigInt(intervalMs);
  const remainder = (splayKey - BigInt(Math.floor(nowMs))) % interval;
  return Number(remainder < 0n ? remainder + interval : remainder);
}
