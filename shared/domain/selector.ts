import { isAttributes } from './attributes.ts';
import { familiesOf } from './check-family.ts';
import type { AlertNaming } from './alert-labels.ts';
import type { CompiledMatcher } from './label-matchers.ts';
import { isMatchersText, parseMatcherSelector } from './matcher-selector.ts';
import { isHiddenKey } from './redact.ts';
import { compileTree } from './search-language.ts';
import { listField, textField, type Comparison, type Field } from './search-fields.ts';
import { parseSearchTree, problem, type SearchNode, type SearchProblem } from './search-syntax.ts';
import { costOf, selectorKeys, type SelectorKey } from './selector-keys.ts';

/*
 * A selector is a search for checks on clients, over what does not change from result to result (silencing 1): its
 * answer is found once for a client and check, and again when one of both changes. The grammar is that of all searches
 * (`search-language.ts`).
 */

/** Whose attribute it is. */
export type AttributeOwner = 'client' | 'check';

/** A check on a client, as selectors see it. */
export interface SelectorSubject {
  readonly namespace: string;
  readonly client: string;
  readonly check: string;
  readonly subscriptions: readonly string[];
  /** Of the event, where the selector is one of those that may look at it. */
  readonly status?: number;
  readonly occurrences?: number;
  /** The meaning of labels to matchers; absent: the default settings. */
  readonly naming?: AlertNaming | undefined;
  /** What `attributeTexts` finds of the record of its owner. */
  readonly attribute: (owner: AttributeOwner, name: string) => readonly string[];
}

export interface Selector {
  readonly kind: 'selector';
  /** As it was written, without spaces around it. */
  readonly text: string;
  /** The attributes that it names, of the client and of the check: what has to be known of both. */
  readonly attributes: Readonly<Record<AttributeOwner, readonly string[]>>;
  /** The matchers of a selector such as `{alertname="Down"}`; absent: it is a search (prometheus 2.2). */
  readonly matchers?: readonly CompiledMatcher[];
  /** The cost of an evaluation, see `costOf`. */
  readonly cost: number;
  /** The keys under which an index finds the selector, see `selectorKeys`. */
  readonly keys: readonly (readonly SelectorKey[])[];
  readonly matches: (subject: SelectorSubject) => boolean;
  /**
   * Looks at a client alone, whatever is said of a check.
   *
   * @returns false: it matches no check of this client, whatever that is
   */
  readonly mayMatch: (client: SelectorSubject) => boolean;
  /**
   * Looks at a check on a client whose attributes are not at hand.
   *
   * @returns false: it does not match, whatever they are
   */
  readonly couldMatch: (check: SelectorSubject) => boolean;
}

/** Most attributes that one selector names. */
const ATTRIBUTES_MAX = 20;

/** The attribute `env`, also with what is in it: `labels.app.kubernetes.io/name`. */
const NAME = /^[a-z_](?:[\w./-]*\w)?/i;

const NOT_STABLE = 'changes with every result and cannot be used in a selector';
const NO_FIELD: ReadonlyMap<string, string> = new Map([
  ...['status', 'state', 'output', 'duration', 'executed', 'issued', 'history', 'occurrences'].map(unstable),
  ...['occurrences_watermark', 'total_state_change', 'action', 'flapping', 'age', 'last', 'since'].map(unstable),
  ...['last_ok', 'last_seen', 'last_state_change', 'timestamp', 'is_silenced', 'silenced', 'silenced_by'].map(unstable),
  ['backend', 'is not available in a selector'],
  ['subscription', 'is called subscriptions here'],
]);

function unstable(name: string): [name: string, problem: string] {
  return [name, NOT_STABLE];
}

/** What stands at the end of each refusal. */
const FIELDS = 'use client, check, subscriptions, namespace or an attribute of client or check, as in env=prod';

/** What is the same for every selector. */
const FIXED_FIELDS: ReadonlyMap<string, Field<SelectorSubject>> = new Map(
  [
    textField<SelectorSubject>('client', ({ client }) => client),
    listField<SelectorSubject>('check', 'a check', ({ check }) => [check, ...familiesOf(check)], 'disk*'),
    listField<SelectorSubject>('subscriptions', 'a subscription', ({ subscriptions }) => subscriptions),
    textField<SelectorSubject>('namespace', ({ namespace }) => namespace),
  ].map((field) => [field.name, field]),
);

const NO_CHANGING: ReadonlyMap<string, Field<SelectorSubject>> = new Map();

/**
 * Reads a selector. Never throws.
 *
 * @param changing fields of what changes from result to result, for who has the event at hand; default: none
 */
export function parseSelector(written: string, changing = NO_CHANGING): Selector | SearchProblem {
  const text = written.trim();
  if (isMatchersText(text) && changing === NO_CHANGING) return parseMatcherSelector(text);
  const attributes: Record<AttributeOwner, Set<string>> = { client: new Set(), check: new Set() };
  const tree = parseSearchTree<SelectorSubject>(
    {
      get: (lower, name) => changing.get(lower) ?? fieldOf(lower, name, attributes),
      keys: () => [...FIXED_FIELDS.keys(), ...changing.keys()],
      pattern: NAME,
    },
    text,
  );
  if (tree === undefined) return problem(`a selector needs at least one condition: ${FIELDS}`, 0);
  if (tree.kind === 'problem') return tree;
  const flag = flagIn(tree);
  if (flag !== undefined) return problem(`${flag} ${NOT_STABLE}: ${FIELDS}`, text.toLowerCase().indexOf(flag));
  const { client, check } = attributes;
  if (new Set([...client, ...check]).size > ATTRIBUTES_MAX) {
    return problem(`a selector can name ${String(ATTRIBUTES_MAX)} attributes: simplify it`, 0);
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
    mayMatch: (subject) => ofClient(subject) !== false,
    couldMatch: (subject) => ofFixed(subject) !== false,
  };
}

/** What a part of what is known decides; undefined: the rest does. */
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
      return joined(
        node.nodes.map((child) => partialTest(child, leafTest)),
        node.kind === 'or',
      );
    default:
      return leafTest(node);
  }
}

/** What a client alone decides, whatever its check is. */
function clientLeaf(leaf: Leaf): PartialTest {
  if (leaf.kind === 'comparison') return comparisonTest(leaf);
  if (leaf.kind !== 'word') return () => undefined;
  const wanted = leaf.text.toLowerCase();
  return ({ client }) => (client.toLowerCase().includes(wanted) ? true : undefined);
}

/** What all but the attributes decides. */
function fixedLeaf(leaf: Leaf, changing: ReadonlyMap<string, Field<SelectorSubject>>): PartialTest {
  if (leaf.kind === 'comparison') {
    const isKnown = FIXED_FIELDS.has(leaf.field) || changing.has(leaf.field);
    return isKnown ? (subject) => leaf.matches(subject, 0) : () => undefined;
  }
  const test = compileTree(leaf);
  return (subject) => test(subject, wordsOf(subject), 0);
}

function wordsOf({ client, check }: SelectorSubject): string {
  return `${client}\0${check}`.toLowerCase();
}

/** @param decides what one of them says that settles it */
function joined(tests: readonly PartialTest[], decides: boolean): PartialTest {
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
  const [first = '', ...rest] = field.split('.');
  const owner = first === 'check' ? 'check' : ownerOf(first, rest);
  if (owner === 'check') return () => undefined;
  if (owner === 'client' || FIXED_FIELDS.has(field)) return (client) => matches(client, 0);
  // Of both: what the client has settles it, what it has not may be said of the check.
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
 * `env` is an attribute of the client or of the check, `client.env` one of the client alone.
 *
 * @param attributes takes in what is named
 */
function fieldOf(
  lower: string,
  name: string,
  attributes: Readonly<Record<AttributeOwner, Set<string>>>,
): Field<SelectorSubject> | undefined {
  // Of a word nobody knows yet whether it is a name: none of these fields is a flag.
  if (!NAME.test(name)) return undefined;
  const fixed = FIXED_FIELDS.get(lower);
  if (fixed !== undefined) return fixed;
  const [first = '', ...rest] = name.split('.');
  const owner = ownerOf(first, rest);
  const attribute = owner === undefined ? name : rest.join('.');
  const parts = attribute.split('.');
  const refused = NO_FIELD.get((parts[0] ?? '').toLowerCase());
  if (refused !== undefined) return refusedField(name, `${name} ${refused}: ${FIELDS}`);
  if (parts.some((part) => isHiddenKey(part))) {
    return refusedField(name, `${name} is secret and cannot be searched for: ${FIELDS}`);
  }
  const owners: readonly AttributeOwner[] = owner === undefined ? ['client', 'check'] : [owner];
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

function ownerOf(first: string, rest: readonly string[]): AttributeOwner | undefined {
  if (rest.length === 0) return undefined;
  const lower = first.toLowerCase();
  return lower === 'client' || lower === 'check' ? lower : undefined;
}

function refusedField(name: string, message: string): Field<SelectorSubject> {
  return { name, hint: message, operator: '=', values: [], compile: () => message };
}

/** What other searches find by its name alone would here be looked for in names of clients, which nobody means. */
function flagIn(node: SearchNode<SelectorSubject>): string | undefined {
  if (node.kind === 'word')
    return ['silenced', 'inhibited', 'flapping'].find((flag) => flag === node.text.toLowerCase());
  if (node.kind === 'not') return flagIn(node.node);
  if (node.kind !== 'and' && node.kind !== 'or') return undefined;
  for (const child of node.nodes) {
    const flag = flagIn(child);
    if (flag !== undefined) return flag;
  }
  return undefined;
}

/** Most texts of one attribute that is a list, and the longest of them. */
const TEXTS_MAX = 100;
const TEXT_LENGTH_MAX = 1000;

const NO_TEXTS: readonly string[] = [];

/**
 * What selectors see of an attribute of a client or a check: a text, number or boolean as text, each of those of a list;
 * of what has none, and of what is hidden, nothing.
 *
 * @param record of the client, or the check part of its last result
 * @param name with dots for what is in objects; a name that itself has dots is found as well, as labels may have them
 * @param hidden as `redactKeysOf` of the client gives it
 */
export function attributeTexts(record: unknown, name: string, hidden: ReadonlySet<string>): readonly string[] {
  let value = record;
  let rest = name;
  while (true) {
    if (!isAttributes(value)) return NO_TEXTS;
    const end = Object.hasOwn(value, rest) ? -1 : rest.indexOf('.');
    const part = end === -1 ? rest : rest.slice(0, end);
    if (hidden.has(part) || !Object.hasOwn(value, part)) return NO_TEXTS;
    value = value[part];
    if (end === -1) break;
    rest = rest.slice(end + 1);
  }
  if (!Array.isArray(value)) return textsOf(value);
  return value.slice(0, TEXTS_MAX).flatMap(textsOf);
}

function textsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return value.length > TEXT_LENGTH_MAX ? [value.slice(0, TEXT_LENGTH_MAX)] : [value];
  return typeof value === 'number' || typeof value === 'boolean' ? [String(value)] : NO_TEXTS;
}
