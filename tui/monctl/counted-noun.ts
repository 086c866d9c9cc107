/**
 * Returns a count with its noun: `no events`, `1 event`, `2 events`. It derives the singular only from the plurals that
 * monctl uses.
 */
export function countedNoun(count: number, plural: string): string {
  if (count !== 1) return `${count === 0 ? 'no' : String(count)} ${plural}`;
  const singular = plural.replace(/ies$/, 'y').replace(/shes$/, 'sh').replace(/s$/, '');
  return `1 ${singular}`;
}
