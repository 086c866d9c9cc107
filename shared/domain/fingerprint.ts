const PRIME = 0x100_0000_01b3n;
const OFFSET = 0xcbf2_9ce4_8422_2325n;
const MASK = 0xffff_ffff_ffff_ffffn;

/** Names a set of labels, whatever their order: 16 hexadecimal digits (FNV-1a of 64 bits). Tells apart, hides nothing. */
export function fingerprintOf(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1));
  let hash = OFFSET;
  // By units of UTF-16: each of its two bytes.
  for (const unit of JSON.stringify(pairs)) {
    for (let at = 0; at < unit.length; at++) {
      const code = unit.charCodeAt(at);
      hash = ((hash ^ BigInt(code & 0xff)) * PRIME) & MASK;
      hash = ((hash ^ BigInt(code >> 8)) * PRIME) & MASK;
    }
  }
  return hash.toString(16).padStart(16, '0');
}
