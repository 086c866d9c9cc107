import type { SearchNode } from './search-syntax.ts';

/*
 * Where an index finds a selector. A selector that is an `and` of terms matches nothing unless each term does, so one
 * term is enough to rule it out: the index holds it under a text that one of its terms requires.
 */

/** The object that a key is looked up in: the texts of a client, or the name of a check with its families. */
export type KeyOwner = 'client' | 'check';

/** A text that a subject must have for a selector to match. */
export interface SelectorKey {
  readonly owner: KeyOwner;
  /** Whether the text is a whole one, or a part of one. */
  readonly kind: 'whole' | 'part';
  /** The text in lower case. Whole texts of subscriptions have `SUBSCRIPTION_KEY` in front. */
  readonly text: string;
}

/** Longest part that is a key: with few lengths, the parts of a name are looked up one by one. */
export const PART_LENGTH_MAX = 8;

/** Shortest part that is a key: nearly all names have any shorter one. */
const PART_LENGTH_MIN = 2;

/** Most keys of one selector that is an `or`: beyond that it is evaluated like one without a key. */
const ALTERNATIVES_MAX = 20;

/** Keeps a subscription apart from the client of the same name: no name has this character. */
export const SUBSCRIPTION_KEY = '\0';

/**
 * The sets of keys that an index can choose from. A selector matches a subject only if the subject has at least one
 * key of each set. All keys of a set have the same owner.
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

/**
 * What it costs to evaluate a selector, in comparisons of two texts: some 30 ns each on a machine of 2020.
 */
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
  // A `?` behind a star has each character of the text looked at.
  if (text.includes('?')) return 20;
  return text.includes('*') ? 5 : CONTAINS_COST;
}

/** How many texts a field may have, as far as that counts: most have a few, none a thousand times as many. */
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

/** Joins one set of each alternative, if all have one of the same owner. */
function anyOf(alternatives: readonly (readonly (readonly SelectorKey[])[])[]): readonly (readonly SelectorKey[])[] {
  const owners: readonly KeyOwner[] = ['client', 'check'];
  return owners.flatMap((owner) => {
    const joined: SelectorKey[] = [];
    for (const sets of alternatives) {
      const set = sets.find(([key]) => key?.owner === owner);
      if (set === undefined) return [];
      joined.push(...set);
    }
    return joined.length > ALTERNATIVES_MAX ? [] : [joined];
  });
}

function comparisonKeys(field: string, operator: string, text: string): readonly (readonly SelectorKey[])[] {
  switch (field) {
    case 'client':
    case 'check':
      if (operator === '=') return [[{ owner: field, kind: 'whole', text }]];
      return operator === '~' ? partsOf(text).map((part) => [{ owner: field, kind: 'part', text: part }]) : [];
    case 'subscriptions':
      // Not by a part: a client may have a thousand subscriptions, of which each would be taken apart.
      return operator === '=' ? [[{ owner: 'client', kind: 'whole', text: SUBSCRIPTION_KEY + text }]] : [];
    default:
      return [];
  }
}

/** The parts of a text that a pattern requires. Their ends, which tell `web-dc1-17` from `web-dc1-18`. */
function partsOf(pattern: string): readonly string[] {
  return pattern
    .split(/[*?]+/)
    .filter(({ length }) => length >= PART_LENGTH_MIN)
    .map((part) => part.slice(-PART_LENGTH_MAX));
}
