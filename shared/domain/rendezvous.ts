/**
 * Returns the order in which a client tries the members of a cluster (rendezvous hashing). The order depends on the
 * name of the client, so clients spread evenly over the members. If a member is lost, only its clients use another one.
 *
 * @param name name of the client
 */
export function rendezvousOrder(name: string, members: readonly string[]): string[] {
  const weights = new Map(members.map((member) => [member, hashText(`${name} ${member}`)]));
  return members.toSorted((one, other) => (weights.get(other) ?? 0) - (weights.get(one) ?? 0));
}

/** Returns the 32-bit FNV-1a hash of a text with its bits mixed. So texts with the same start get distant hashes. */
function hashText(text: string): number {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
}
