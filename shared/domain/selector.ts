import {
  ATTRIBUTE_NAME,
  isSecret,
  isUnstable,
  ownerOf,
  parseAttributeName,
  type AttributeOwner,
} from './attribute-name.ts';
import { isAttributes } from './attributes.ts';
import { familiesOf } from './check-family.ts';
import type { AlertNaming } from './alert-labels.ts';
import type { CompiledMatcher } from './label-matchers.ts';
import { isMatchersText, parseMatcherSelector } from './matcher-selector.ts';
import { compileTree } from './search-language.ts';
import { listField, textField, type Comparison, type Field } from './search-fields.ts';
import { parseSearchTree, searchProblem, type SearchNode, type SearchProblem } from './search-syntax.ts';
import { costOf, selectorKeys, type SelectorKey } from './selector-keys.ts';

/*
 * A selector is a search that decides to which checks on clients a silence applies, for example. It uses only stable
 * attributes, not those that change with each result (silencing 1). So it is evaluated once for a client and check, and
 * again only if one of them changes. Its grammar is that of all searches (`search-language.ts`).
 */

/** A check on a client, with the data that selectors evaluate. */
export interface SelectorSubject {
  readonly namespace: string;
  readonly client: string;
  readonly check: string;
  readonly subscriptions: readonly string[];
  /** Status of the event; only selectors parsed with the field `status` use it. */
  readonly status?: number;
  readonly occurrences?: number;
  /** Names of the labels for client, check and severity in label matchers; if undefined, the default names. */
  readonly naming?: AlertNaming | undefined;
  /** Returns the texts of an attribute of the client or the check, see `attributeTexts`. */
  readonly attribute: (owner: AttributeOwner, name: string) => readonly string[];
}

export interface Selector {
  readonly kind: 'selector';
  /** The text as written, trimmed. */
  readonly text: string;
  /** The names of the client and check attributes that the selector uses; they must be known to evaluate it. */
  readonly attributes: Readonly<Record<AttributeOwner, readonly string[]>>;
  /** The label matchers of a selector such as `{alertname="Down"}`; undefined for other selectors (prometheus 2.2). */
  readonly matchers?: readonly CompiledMatcher[];
  /** The cost of one evaluation, see `costOf`. */
  readonly cost: number;
  /** The keys under which an index finds the selector, see `selectorKeys`. */
  readonly keys: readonly (readonly SelectorKey[])[];
  readonly matches: (subject: SelectorSubject) => boolean;
  /**
   * Evaluates the selector on a client alone.
   *
   * @returns false if no check of this client can match
   */
  readonly canMatchClient: (client: SelectorSubject) => boolean;
  /**
   * Evaluates the selector on a check and its client without their attributes.
   *
   * @returns false if the selector cannot match with any attributes
   */
  readonly canMatchWithoutAttributes: (check: SelectorSubject) => boolean;
}

/** Maximum number of attributes that one selector can name. */
const ATTRIBUTES_MAX = 20;

const NOT_STABLE_TEXT = 'changes with every result and cannot be used in a selector';

/** Hint at the end of error messages about selectors: the fields that are valid. */
const FIELDS_HINT = 'use client, check, subscriptions, namespace or an attribute of client or check, as in env=prod';

/** Fields that all selectors have. */
const FIXED_FIELDS: ReadonlyMap<string, Field<SelectorSubject>> = new Map(
  [
    textField<SelectorSubject>('client', ({ client }) => client),
    listField<SelectorSubject>('check', 'a check', ({ check }) => [check, ...familiesOf(check)], 'disk*'),
    listField<SelectorSubject>('subscriptions', 'a subscription', ({ subscriptions }) => subscriptions),
    textField<SelectorSubject>('namespace', ({ namespace }) => namespace),
  ].map((field) => [field.name, field]),
);

/** Other names of fixed fields. */
const FIELD_ALIASES: ReadonlyMap<string, string> = new Map([
  ['subscription', 'subscriptions'],
  ['client.subscription', 'subscriptions'],
]);

const NO_CHANGING_FIELDS: ReadonlyMap<string, Field<SelectorSubject>> = new Map();

/**
 * Parses a selector. Never throws.
 *
 * @param changing additional fields that change with each result, such as `status`. Only callers that evaluate events
 *   pass them; by default there are none.
 */
export function parseSelector(written: string, changing = NO_CHANGING_FIELDS): Selector | SearchProblem {
  const text = written.trim();
  if (isMatchersText(text) && changing === NO_CHANGING_FIELDS) return parseMatcherSelector(text);
  const attributes: Record<AttributeOwner, Set<string>> = { client: new Set(), check: new Set() };
  const tree = parseSearchTree<SelectorSubject>(
    {
      get: (lower, name) => changing.get(lower) ?? fieldOf(lower, name, attributes),
      keys: () => [...FIXED_FIELDS.keys(), ...changing.keys()],
      pattern: ATTRIBUTE_NAME,
    },
    text,
  );
  if (tree === undefined) return searchProblem(`a selector needs at least one condition: ${FIELDS_HINT}`, 0);
  if (tree.kind === 'problem') return tree;
  const flag = findFlag(tree);
  if (flag !== undefined)
    return searchProblem(`${flag} ${NOT_STABLE_TEXT}: ${FIELDS_HINT}`, text.toLowerCase().indexOf(flag));
  const { client, check } = attributes;
  if (new Set([...client, ...check]).size > ATTRIBUTES_MAX) {
    return searchProblem(`a selector can use at most ${String(ATTRIBUTES_MAX)} attributes: simplify it`, 0);
  }
  const test = compileTree(tree);
  const ofClient = partialTest(tree, clientLeaf);
  const ofFixed = partialTest(tree, (leaf) => fixedLeaf(leaf, changing));
  return {
    kind: 'selector',
    text,
    attributes: { client: [...client], check: [...check] },
    cost: costOf(tree),
    keys: selectorKeys(tree),
    matches: (subject) => test(subject, wordsOf(subject), 0),
    canMatchClient: (subject) => ofClient(subject) !== false,
    canMatchWithoutAttributes: (subject) => ofFixed(subject) !== false,
  };
}

/** Evaluates a selector with a part of the data about a check on a client; undefined if the result is still open. */
type PartialTest = (subject: SelectorSubject) => boolean | undefined;

type Leaf = Exclude<SearchNode<SelectorSubject>, { readonly kind: 'not' | 'and' | 'or' }>;

function partialTest(node: SearchNode<SelectorSubject>, leafTest: (leaf: Leaf) => PartialTest): PartialTest {
  switch (node.kind) {
    case 'not': {
      const test = partialTest(node.node, leafTest);
      return (client) => {
        const verdict = test(client);
        return verdict === undefined ? undefined : !verdict;
      };
    }
    case 'and':
    case 'or':
      return joinTests(
        node.nodes.map((child) => partialTest(child, leafTest)),
        node.kind === 'or',
      );
    default:
      return leafTest(node);
  }
}

/** Returns a test that evaluates one condition of a selector with the data of the client alone. */
function clientLeaf(leaf: Leaf): PartialTest {
  if (leaf.kind === 'comparison') return comparisonTest(leaf);
  if (leaf.kind !== 'word') return () => undefined;
  const word = leaf.text.toLowerCase();
  return ({ client }) => (client.toLowerCase().includes(word) ? true : undefined);
}

/** Returns a test that evaluates one condition of a selector without the attributes of client and check. */
function fixedLeaf(leaf: Leaf, changing: ReadonlyMap<string, Field<SelectorSubject>>): PartialTest {
  if (leaf.kind === 'comparison') {
    const isAvailable = FIXED_FIELDS.has(leaf.field) || changing.has(leaf.field);
    return isAvailable ? (subject) => leaf.matches(subject, 0) : () => undefined;
  }
  const test = compileTree(leaf);
  return (subject) => test(subject, wordsOf(subject), 0);
}

function wordsOf({ client, check }: SelectorSubject): string {
  return `${client}\0${check}`.toLowerCase();
}

/**
 * Joins tests by `and` or `or`.
 *
 * @param decides true for `or`, false for `and`: if one test has this result, it is the joined result
 */
function joinTests(tests: readonly PartialTest[], decides: boolean): PartialTest {
  return (client) => {
    let verdict: boolean | undefined = !decides;
    for (const test of tests) {
      const one = test(client);
      if (one === decides) return decides;
      if (one === undefined) verdict = undefined;
    }
    return verdict;
  };
}

function comparisonTest({ field, operator, matches }: Comparison<SelectorSubject>): PartialTest {
  const [first = '', ...remaining] = field.split('.');
  const owner = first === 'check' ? 'check' : ownerOf(first, remaining);
  if (owner === 'check') return () => undefined;
  if (owner === 'client' || FIXED_FIELDS.has(field)) return (client) => matches(client, 0);
  // The attribute can be one of the client or of the check. If the client has it, its value can decide the result. If
  // not, the check can still have it.
  const settles = operator !== '!=';
  return (client) => {
    const verdict = matches({ ...client, attribute: attributesOfClient(client) }, 0);
    return verdict === settles ? settles : undefined;
  };
}

function attributesOfClient({ attribute }: SelectorSubject): SelectorSubject['attribute'] {
  return (owner, name) => (owner === 'client' ? attribute(owner, name) : NO_TEXTS);
}

/**
 * Returns the search field for an attribute. `env` is an attribute of the client or the check, `client.env` only of the
 * client.
 *
 * @param attributes sets to which the names of compared attributes are added
 */
function fieldOf(
  lower: string,
  name: string,
  attributes: Readonly<Record<AttributeOwner, Set<string>>>,
): Field<SelectorSubject> | undefined {
  // The parser also looks up plain words, because they could be flags. A word that cannot be the name of an attribute
  // needs no field.
  if (!ATTRIBUTE_NAME.test(name)) return undefined;
  const fixed = FIXED_FIELDS.get(FIELD_ALIASES.get(lower) ?? lower);
  if (fixed !== undefined) return fixed;
  const parsed = parseAttributeName(name);
  const { owners, attribute } = parsed;
  if (isUnstable(parsed)) return refusedField(name, `${name} ${NOT_STABLE_TEXT}: ${FIELDS_HINT}`);
  if (/^backend(?:$|\.)/i.test(attribute)) {
    return refusedField(name, `${name} is not available in a selector: ${FIELDS_HINT}`);
  }
  if (isSecret(parsed)) return refusedField(name, `${name} is secret and cannot be searched for: ${FIELDS_HINT}`);
  const field = listField<SelectorSubject>(
    name,
    'a text',
    (subject) => owners.flatMap((of) => subject.attribute(of, attribute)),
    'prod*',
  );
  return {
    ...field,
    compile: (operator, value) => {
      for (const of of owners) attributes[of].add(attribute);
      return field.compile(operator, value);
    },
  };
}

function refusedField(name: string, message: string): Field<SelectorSubject> {
  return { name, hint: message, operator: '=', values: [], compile: () => message };
}

/**
 * Returns the first word of a selector that is a flag in searches for events, such as `silenced`; undefined if there is
 * none. In a selector it would be a plain word that matches names, which is surely not intended.
 */
function findFlag(node: SearchNode<SelectorSubject>): string | undefined {
  if (node.kind === 'word')
    return ['silenced', 'inhibited', 'flapping'].find((flag) => flag === node.text.toLowerCase());
  if (node.kind === 'not') return findFlag(node.node);
  if (node.kind !== 'and' && node.kind !== 'or') return undefined;
  for (const child of node.nodes) {
    const flag = findFlag(child);
    if (flag !== undefined) return flag;
  }
  return undefined;
}

/** Maximum number of texts that are read from a list attribute, and maximum length of each. The rest is ignored. */
const TEXTS_MAX = 100;
const TEXT_LENGTH_MAX = 1000;

const NO_TEXTS: readonly string[] = [];

/**
 * Returns the value of an attribute as a list of texts, for selectors. The value is a text, a number or a boolean, or a
 * list of them. Other values and redacted values yield no text.
 *
 * @param record attributes of a client, or the check of a result
 * @param name path with dots; names that contain dots themselves, such as those of labels, are found too
 * @param hidden keys whose values are redacted
 */
export function attributeTexts(record: unknown, name: string, hidden: ReadonlySet<string>): readonly string[] {
  let value = record;
  let remaining = name;
  while (true) {
    if (!isAttributes(value)) return NO_TEXTS;
    const end = Object.hasOwn(value, remaining) ? -1 : remaining.indexOf('.');
    const part = end === -1 ? remaining : remaining.slice(0, end);
    if (hidden.has(part) || !Object.hasOwn(value, part)) return NO_TEXTS;
    value = value[part];
    if (end === -1) break;
    remaining = remaining.slice(end + 1);
  }
  if (!Array.isArray(value)) return textsOf(value);
  return value.slice(0, TEXTS_MAX).flatMap(textsOf);
}

function textsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return value.length > TEXT_LENGTH_MAX ? [value.slice(0, TEXT_LENGTH_MAX)] : [value];
  return typeof value === 'number' || typeof value === 'boolean' ? [String(value)] : NO_TEXTS;
}
