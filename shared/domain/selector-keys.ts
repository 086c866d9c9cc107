import type { SearchNode } from './search-syntax.ts';

/*
 * Keys under which an index stores a selector. A selector that is an `and` of terms matches only if each term does, so
 * one term can rule it out: the index stores the selector under a text that one of its terms requires.
 */

/** The owner of a key: texts of a client, or the name of a check with its families. */
export type KeyOwner = 'client' | 'check';

/** A text that a subject must have for a selector to match. */
export interface SelectorKey {
  readonly owner: KeyOwner;
  /** Whether the key is a whole text or a part of one. */
  readonly kind: 'whole' | 'part';
  /** The text in lower case. Whole texts of subscriptions are prefixed with `SUBSCRIPTION_KEY`. */
  readonly text: string;
}

/** Maximum length of a part that serves as a key. With few lengths, the parts of a name can be looked up one by one. */
export const PART_LENGTH_MAX = 8;

/** Minimum length of a part that serves as a key: nearly all names contain any shorter one. */
const PART_LENGTH_MIN = 2;

/** Maximum number of keys of a selector that is an `or`; beyond it the selector is evaluated without keys. */
const ALTERNATIVES_MAX = 20;

/** Prefix that distinguishes a subscription from the client of the same name; no name contains this character. */
export const SUBSCRIPTION_KEY = '\0';

/**
 * Returns the sets of keys that an index can choose from. A selector matches a subject only if the subject has at least
 * one key of each set. All keys of a set have the same owner.
 */
export function selectorKeys<Row>(tree: SearchNode<Row>): readonly (readonly SelectorKey[])[] {
  switch (tree.kind) {
    case 'and':
      return tree.nodes.flatMap(selectorKeys);
    case 'or':
      return anyOf(tree.nodes.map(selectorKeys));
    case 'comparison':
      return comparisonKeys(tree.field, tree.operator, tree.text.toLowerCase());
    default:
      return [];
  }
}

/** Returns the cost of evaluating a selector, in comparisons of two texts: about 30 ns each on a machine of 2020. */
export function costOf<Row>(tree: SearchNode<Row>): number {
  switch (tree.kind) {
    case 'not':
      return costOf(tree.node);
    case 'and':
    case 'or':
      return tree.nodes.reduce((sum, node) => sum + costOf(node), 0);
    case 'comparison':
      return comparisonCost(tree.operator, tree.text) * textsCost(tree.field);
    default:
      return CONTAINS_COST;
  }
}

const CONTAINS_COST = 2;

function comparisonCost(operator: string, text: string): number {
  if (operator !== '~') return 1;
  // A `?` after a star makes the search examine each character of the text.
  if (text.includes('?')) return 20;
  return text.includes('*') ? 5 : CONTAINS_COST;
}

/** Returns a typical number of texts of a field: most have a few, and none a thousand times as many. */
function textsCost(field: string): number {
  switch (field) {
    case 'client':
    case 'check':
    case 'namespace':
      return 1;
    case 'subscriptions':
      return 10;
    default:
      return 2;
  }
}

/** Joins one set of each alternative, each key once, if all alternatives have a set of the same owner. */
function anyOf(alternatives: readonly (readonly (readonly SelectorKey[])[])[]): readonly (readonly SelectorKey[])[] {
  const owners: readonly KeyOwner[] = ['client', 'check'];
  return owners.flatMap((owner) => {
    // An index would find a selector once for each of its keys, also for two equal ones.
    const joined = new Map<string, SelectorKey>();
    for (const sets of alternatives) {
      const set = sets.find(([key]) => key?.owner === owner);
      if (set === undefined) return [];
      for (const key of set) joined.set(`${key.kind} ${key.text}`, key);
    }
    return joined.size > ALTERNATIVES_MAX ? [] : [[...joined.values()]];
  });
}

function comparisonKeys(field: string, operator: string, text: string): readonly (readonly SelectorKey[])[] {
  switch (field) {
    case 'client':
    case 'check':
      if (operator === '=') return [[{ owner: field, kind: 'whole', text }]];
      return operator === '~' ? partsOf(text).map((part) => [{ owner: field, kind: 'part', text: part }]) : [];
    case 'subscriptions':
      // No parts: a client may have a thousand subscriptions, and each would have to be split.
      return operator === '=' ? [[{ owner: 'client', kind: 'whole', text: SUBSCRIPTION_KEY + text }]] : [];
    default:
      return [];
  }
}

/**
 * Returns the parts of a text that a pattern requires, shortened to their ends, which distinguish `web-dc1-17` from
 * `web-dc1-18`.
 */
function partsOf(pattern: string): readonly string[] {
  return pattern
    .split(/[*?]+/)
    .filter(({ length }) => length >= PART_LENGTH_MIN)
    .map((part) => part.slice(-PART_LENGTH_MAX));
}
