/** A thing that a fuzzy search can find. */
export interface Candidate {
  /** The text that is searched, in lower case. */
  readonly text: string;
  /** The word for the kind of the thing, such as `client`. A search can name it: `client web`. */
  readonly kind: string;
  /** Number that is added to the cost of a match. Of two equal matches, the one with the smaller number comes first. */
  readonly bias: number;
}

/** A candidate that matches the search; a smaller cost is a better match. */
export interface Match<Item> {
  readonly item: Item;
  readonly cost: number;
}

/** Costs of a word: at the start of the text, at the start of a word, within a word, or scattered over the text. */
const START_COST = 1;
const WORD_START_COST = 2;
const WITHIN_COST = 3;
const KIND_COST = 1;
const SCATTERED_COST = 8;

/** Number of characters over which the length of a text changes the cost by one. */
const LENGTH_UNIT = 200;

/** Maximum number of characters over which the letters of a word can be scattered. */
const SPREAD_MAX = 14;

/** Maximum number of characters of a search that count. */
const SEARCH_MAX = 80;

/**
 * A fuzzy search over many candidates. Every word of the search must be in the text of a candidate, or its letters must
 * be in the text in this order. While the user types more letters, only the previous matches are searched again.
 */
export class FuzzySearch<Item extends Candidate> {
  readonly #candidates: readonly Item[];
  #words: readonly string[] = [];
  /** The candidates that match `#words`. */
  #matching: readonly Item[];

  constructor(candidates: readonly Item[]) {
    this.#candidates = candidates;
    this.#matching = candidates;
  }

  /** Returns the best matches, at most `limit`, the best first. Equal matches keep the order of the candidates. */
  find(search: string, limit: number): readonly Match<Item>[] {
    const words = search.slice(0, SEARCH_MAX).toLowerCase().split(/\s+/).filter(Boolean);
    const from = isLonger(words, this.#words) ? this.#matching : this.#candidates;
    const matching: Item[] = [];
    const best: Match<Item>[] = [];
    for (const item of from) {
      const cost = costOf(words, item);
      if (cost === undefined) continue;
      matching.push(item);
      const worst = best[limit - 1];
      if (worst === undefined || cost < worst.cost) insertMatch(best, { item, cost }, limit);
    }
    this.#words = words;
    this.#matching = matching;
    return best;
  }
}

/** Returns whether every match of `words` also matches `before`: each word continues the word before. */
function isLonger(words: readonly string[], before: readonly string[]): boolean {
  return words.length >= before.length && before.every((word, index) => words[index]?.startsWith(word));
}

function insertMatch<Item>(best: Match<Item>[], match: Match<Item>, limit: number): void {
  let low = 0;
  let high = best.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((best[middle]?.cost ?? 0) <= match.cost) low = middle + 1;
    else high = middle;
  }
  best.splice(low, 0, match);
  if (best.length > limit) best.pop();
}

/** Returns the cost of a match; `undefined` if a word does not match. */
function costOf(words: readonly string[], { text, kind, bias }: Candidate): number | undefined {
  let cost = bias + text.length / LENGTH_UNIT;
  for (const word of words) {
    const wordCost = costOfWord(word, text, kind);
    if (wordCost === undefined) return undefined;
    cost += wordCost;
  }
  return cost;
}

function costOfWord(word: string, text: string, kind: string): number | undefined {
  const at = text.indexOf(word);
  if (at === 0) return text.length === word.length ? 0 : START_COST;
  if (at > 0) return isWordStart(text, at) || text.includes(` ${word}`) ? WORD_START_COST : WITHIN_COST;
  if (kind.startsWith(word)) return KIND_COST;
  return word.length > 1 && isScattered(word, text) ? SCATTERED_COST : undefined;
}

function isWordStart(text: string, at: number): boolean {
  return ' -_./:@'.includes(text.charAt(at - 1));
}

/** Returns whether the text contains the letters of the word in their order and close enough to each other. */
function isScattered(word: string, text: string): boolean {
  const first = word.charAt(0);
  for (let start = text.indexOf(first); start !== -1; start = text.indexOf(first, start + 1)) {
    const end = endOfLetters(word, text, start);
    if (end === Infinity) return false;
    if (end - start <= SPREAD_MAX) return true;
  }
  return false;
}

/** Returns the position after the letters of the word, searched from `start`; `Infinity` if they are not all there. */
function endOfLetters(word: string, text: string, start: number): number {
  let from = start;
  for (const letter of word) {
    const at = text.indexOf(letter, from);
    if (at === -1) return Infinity;
    from = at + letter.length;
  }
  return from;
}
