/** A check is counted after a tenth of the number that it may have, more or less. */
const PART = 10;

/**
 * Whether a check is counted because of this transition of it, so that what is more than its number can go. Nobody keeps how many
 * it has, and to count them at each transition would take as long as all of them. So it is left to the id, whatever the ids of one
 * check have in common: each is as likely as any other.
 *
 * @param perCheck transitions of a check that are kept
 */
export function isCountDue(id: number, perCheck: number): boolean {
  return mixed(id) % Math.max(1, Math.floor(perCheck / PART)) === 0;
}

/** A number of 32 bits in which each bit of the id counts. */
function mixed(id: number): number {
  let bits = ((id % 2 ** 32) ^ Math.floor(id / 2 ** 32)) >>> 0;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}
