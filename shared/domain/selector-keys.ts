import type { SearchNode } from './search-syntax.ts';

/*
 * Keys under which an index of selectors stores a selector. If a selector joins terms by `and`, one term can rule it
 * out. So the index stores the selector under a text that one of its terms requires, such as a client name.
 */

/**
 * The object whose texts are compared with a key: a client (its name and subscriptions), or a check (its name and
 * families).
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

/** Maximum length of a key that is a part of a text. It is short, so that an index can look up every part of a name. */
export const KEY_LENGTH_MAX = 8;

/** Minimum length of a key that is a part of a text. A single character would be in nearly all names. */
const KEY_LENGTH_MIN = 2;

/** Maximum number of keys for a selector that joins terms by `or`; a larger set of keys is not used. */
const ALTERNATIVES_MAX = 20;

/** Prefix that distinguishes a subscription from the client of the same name; no name contains this character. */
export const SUBSCRIPTION_KEY = '\0';

/**
 * Returns the sets of keys of a selector, of which an index uses one. A selector can match a check on a client only if
 * that has at least one key of each set. All keys of a set have the same owner.
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

/** Returns the cost of evaluating a selector. One comparison of two texts costs 1: about 30 ns on a host of 2020. */
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
  // With a `?` after a star, every character of the text must be examined.
  if (text.includes('?')) return 20;
  return text.includes('*') ? 5 : CONTAINS_COST;
}

/** Returns the typical number of texts in a field, by which the cost of a comparison is multiplied. */
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
 * Returns the sets of keys for alternatives joined by `or`. For each owner, it is the union of one set of each
 * alternative. If an alternative has no set for an owner, there is no set for that owner.
 */
function anyOf(alternatives: readonly (readonly (readonly SelectorKey[])[])[]): readonly (readonly SelectorKey[])[] {
  const owners: readonly KeyOwner[] = ['client', 'check'];
  return owners.flatMap((owner) => {
    // The union contains each key only once. Otherwise an index would find the selector several times.
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
      // Parts of subscriptions are not used: a client can have a thousand subscriptions, which would all be split.
      return operator === '=' ? [[{ owner: 'client', kind: 'whole', text: SUBSCRIPTION_KEY + text }]] : [];
    default:
      return [];
  }
}

/**
 * Returns the texts that every match of a pattern contains, shortened to their last characters. The ends of names
 * differ most, as in `web-dc1-17` and `web-dc1-18`.
 */
function partsOf(pattern: string): readonly string[] {
  return pattern
    .split(/[*?]+/)
    .filter(({ length }) => length >= KEY_LENGTH_MIN)
    .map((part) => part.slice(-KEY_LENGTH_MAX));
}
