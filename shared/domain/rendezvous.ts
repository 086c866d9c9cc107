/**
 * Returns the order in which a client tries equivalent members (rendezvous hashing). Each client has its own order, so
 * that clients spread evenly. If a member is lost, only the clients that used it change to another one.
 *
 * @param name name of the client
 */
export function rendezvousOrder(name: string, members: readonly string[]): string[] {
  const weights = new Map(members.map((member) => [member, hash(`${name} ${member}`)]));
  return members.toSorted((one, other) => (weights.get(other) ?? 0) - (weights.get(one) ?? 0));
}

/** FNV-1a with 32 bits and a final mix, so that texts which differ only in their last character get distant hashes. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
}
