import type { SearchNode } from './search-syntax.ts';

/*
 * Keys under which an index stores a selector. A selector that is an `and` of terms matches only if each term does, so
 * one term can rule it out: the index stores the selector under a text that one of its terms requires.
 */

/**
 * The object that a key is compared with: a client (its name and subscriptions), or a check (its name and families).
 */
export type KeyOwner = 'client' | 'check';

/** A text that a client or check must have for a selector to match. */
export interface SelectorKey {
  readonly owner: KeyOwner;
  /** Whether the key is a whole text or a part of one. */
  readonly kind: 'whole' | 'part';
  /** The text in lower case. Whole texts of subscriptions are prefixed with `SUBSCRIPTION_KEY`. */
  readonly text: string;
}

/** Maximum length of a key that is a part of a text. With so few lengths, an index can look up each part of a name. */
export const PART_LENGTH_MAX = 8;

/** Minimum length of a key that is a part of a text: a single character is in nearly all names. */
const PART_LENGTH_MIN = 2;

/** Maximum number of keys in a set for a selector that is an `or`; a larger set is not used. */
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
  // A `?` in a part after a star makes the search examine each character of the text.
  if (text.includes('?')) return 20;
  return text.includes('*') ? 5 : CONTAINS_COST;
}

/** Returns the typical number of texts of a field, as a factor of the cost. */
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

/**
 * Returns the sets of keys for an `or`: for each owner, the union of one set of each alternative. An owner for which an
 * alternative has no set is left out.
 */
function anyOf(alternatives: readonly (readonly (readonly SelectorKey[])[])[]): readonly (readonly SelectorKey[])[] {
  const owners: readonly KeyOwner[] = ['client', 'check'];
  return owners.flatMap((owner) => {
    // The union has each key once, because an index finds a selector once for each of its keys.
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
      // Parts of subscriptions are not used: a client may have a thousand subscriptions, and each would have to be
      // split.
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
