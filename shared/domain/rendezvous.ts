/**
 * The order in which somebody tries members of which one is as good as the other: everybody has an order of its own, so that
 * all of them spread evenly, and when a member goes only those that were with it go elsewhere (rendezvous hashing).
 *
 * @param name of the one who tries
 */
export function rendezvousOrder(name: string, members: readonly string[]): string[] {
  const weights = new Map(members.map((member) => [member, hash(`${name} ${member}`)]));
  return members.toSorted((one, other) => (weights.get(other) ?? 0) - (weights.get(one) ?? 0));
}

/** FNV-1a with 32 bits, mixed once more: texts that differ in their last character only must be far apart. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
}
