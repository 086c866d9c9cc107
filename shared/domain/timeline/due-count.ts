/** Average number of times that the transitions of a check are counted while `perCheck` new ones are stored. */
const COUNTS_PER_MAXIMUM = 10;

/**
 * Whether the stored transitions of a check must be counted after a new one, so that those above the maximum can be
 * deleted. No counter is stored, and counting after each transition would be too slow. So a hash of the id decides:
 * every id is equally likely, whatever pattern the ids of a check have.
 *
 * @param id id of the new transition
 * @param perCheck maximum number of stored transitions of a check
 */
export function isCountDue(id: number, perCheck: number): boolean {
  return hashId(id) % Math.max(1, Math.floor(perCheck / COUNTS_PER_MAXIMUM)) === 0;
}

/** Returns a 32-bit hash that depends on every bit of the id. */
function hashId(id: number): number {
  let bits = ((id % 2 ** 32) ^ Math.floor(id / 2 ** 32)) >>> 0;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}
