/** Formats a count with its noun: `0 events`, `1 event`, `2 events`. */
export function countWithNoun(count: number, noun: string): string {
  return `${String(count)} ${noun}${count === 1 ? '' : 's'}`;
}
