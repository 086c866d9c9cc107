/** Maximum edit distance between the typed text and a suggestion. */
const DISTANCE_MAX = 2;

/**
 * Returns the candidate that was probably meant: one that begins with `typed`, or one at most two edits away; undefined
 * if there is none.
 */
export function findNearest(typed: string, candidates: readonly string[]): string | undefined {
  let best: string | undefined;
  let bestDistance = DISTANCE_MAX + 1;
  for (const candidate of candidates) {
    const isAbbreviated = typed.length >= 2 && candidate.startsWith(typed);
    // Very short words need a stricter limit: two edits turn any two-letter word into any other.
    const distance = isAbbreviated ? 0.5 : editDistance(typed, candidate);
    if (distance < bestDistance && distance < Math.max(typed.length, candidate.length) - 1) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** Minimum length of a word that can be recognized as misspelled: most short words are one edit away from another. */
const MISSPELLED_LENGTH_MIN = 4;

/** Returns the candidate that is one edit away from `typed`; undefined if there is none. */
export function findMisspelled(typed: string, candidates: readonly string[]): string | undefined {
  if (typed.length < MISSPELLED_LENGTH_MIN) return undefined;
  return candidates.find(
    (candidate) =>
      candidate.length >= MISSPELLED_LENGTH_MIN &&
      Math.abs(candidate.length - typed.length) <= 1 &&
      editDistance(typed, candidate) === 1,
  );
}

/** Returns up to `count` candidates, the most similar to `typed` first, however different they are. */
export function rankBySimilarity(typed: string, candidates: readonly string[], count: number): readonly string[] {
  const ranked = candidates.map((candidate) => ({ candidate, distance: editDistance(typed, candidate) }));
  return ranked
    .toSorted((a, b) => a.distance - b.distance)
    .slice(0, count)
    .map(({ candidate }) => candidate);
}

/**
 * Returns the minimum number of insertions, deletions, replacements and swaps of neighboring characters that turn one
 * text into the other (optimal string alignment).
 */
function editDistance(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const isSame = from[row - 1] === to[column - 1];
      let cost = Math.min(
        costAt(last, column) + 1,
        costAt(current, column - 1) + 1,
        costAt(last, column - 1) + (isSame ? 0 : 1),
      );
      if (from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]) {
        cost = Math.min(cost, costAt(beforeLast, column - 2) + 1);
      }
      current.push(cost);
    }
    beforeLast = last;
    last = current;
  }
  return costAt(last, to.length);
}

function costAt(costs: readonly number[], index: number): number {
  return costs[index] ?? Infinity;
}
