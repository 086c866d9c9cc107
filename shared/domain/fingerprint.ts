/** Seeds and odd factors of two 32-bit hashes that are computed side by side (like FNV-1a over UTF-16 units). */
const HASH_PARAMETERS = [
  { begin: 0x811c_9dc5, factor: 0x0100_0193 },
  { begin: 0x9e37_79b1, factor: 0x27d4_eb2f },
] as const;

/**
 * Returns a hash of labels as 16 hexadecimal digits. The order of the labels does not matter. The hash serves as an
 * identifier and is not cryptographic.
 */
export function fingerprintOf(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const text = JSON.stringify(pairs);
  return HASH_PARAMETERS.map(({ begin, factor }) => {
    let hash: number = begin;
    for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), factor);
    return mixHashBits(hash).toString(16).padStart(8, '0');
  }).join('');
}

/** Mixes the bits of a hash, so that each bit of the result depends on all bits of the hash. */
function mixHashBits(hash: number): number {
  const once = Math.imul(hash ^ (hash >>> 16), 0x7feb_352d);
  const twice = Math.imul(once ^ (once >>> 15), 0x846c_a68b);
  return (twice ^ (twice >>> 16)) >>> 0;
}
