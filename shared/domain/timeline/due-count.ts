/** Divisor: transitions of a check are counted about once per tenth of its maximum. */
const PART = 10;

/**
 * Whether this transition triggers a count of the check's transitions, so that excess ones can be deleted. No counter
 * is stored, and counting at each transition would be too slow. The decision is a hash of the id, so every id is
 * equally likely, whatever pattern the ids of a check have.
 *
 * @param perCheck maximum number of stored transitions of a check
 */
export function isCountDue(id: number, perCheck: number): boolean {
  return mixed(id) % Math.max(1, Math.floor(perCheck / PART)) === 0;
}

/** Returns a 32-bit hash in which each bit of the id counts. */
function mixed(id: number): number {
  let bits = ((id % 2 ** 32) ^ Math.floor(id / 2 ** 32)) >>> 0;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}
