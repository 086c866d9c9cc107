import { ATTRIBUTE_NAME, parseAttributeName } from '../../shared/domain/attribute-name.ts';
import { attributeProblem, attributeReader, SUBSCRIPTIONS_ATTRIBUTE } from '../../shared/domain/event-attributes.ts';
import { eventKey } from '../../shared/domain/event-key.ts';
import type { EventRow } from '../../shared/schemas/feed.ts';
import { nameAtSameBackend } from './backend-names.ts';
import type { EventRecord } from './event-record.ts';
import { outputPattern } from './output-pattern.ts';

/** The criterion by which events are folded into rows: `check`, `output`, `cause`, `subscription`, or an attribute. */
export type FoldCriterion = string;

/** The value by which an event is folded: a text, or the hash of an output. */
export type FoldValue = string | number;

/** A way to fold events into groups, each of which is one row of the list. */
export interface Folding {
  readonly by: FoldCriterion;
  /** Description of the folding in the menu. */
  readonly help: string;
  /** Returns the value of an event, or several values. It belongs to the fold of each value. */
  readonly valueOf: (record: EventRecord) => FoldValue | readonly FoldValue[];
  /** Returns the name of a fold with control characters as they were received; `row` is one of its events. */
  readonly nameOf: (value: FoldValue, row: EventRow) => string;
  /** True if an event can belong to several folds. Then every fold is shown as such, even if it has only one event. */
  readonly isMultiple?: true;
}

const readSubscriptions = attributeReader(SUBSCRIPTIONS_ATTRIBUTE);

/** The ways to fold events that are not by attribute, in the order of the menu. */
export const BUILT_IN_FOLDINGS: readonly Folding[] = [
  {
    by: 'check',
    help: 'the same check',
    valueOf: ({ row }) => row.check,
    nameOf: String,
  },
  {
    by: 'output',
    help: 'the same output, apart from numbers, ids and host names',
    valueOf: ({ outputFingerprint }) => outputFingerprint,
    nameOf: (_, { output }) => outputPattern(output),
  },
  {
    by: 'cause',
    help: 'the same cause: inhibited events under the event that inhibits them',
    valueOf: ({ key, row: { client, inhibited_by: by } }) =>
      by === undefined ? key : eventKey(nameAtSameBackend(client, by.client), by.check),
    nameOf: String,
  },
  {
    by: 'subscription',
    help: 'each subscription of the client',
    valueOf: ({ row }) => {
      const subscriptions = readSubscriptions(row);
      return subscriptions.length === 0 ? '' : subscriptions;
    },
    nameOf: (value) => (value === '' ? 'no subscription' : String(value)),
    isMultiple: true,
  },
];

/** Returns the way to fold events by this name. */
export function foldingOf(by: FoldCriterion): Folding {
  return BUILT_IN_FOLDINGS.find((folding) => folding.by === by) ?? foldingByAttribute(by);
}

function foldingByAttribute(by: FoldCriterion): Folding {
  const read = attributeReader(by);
  const { attribute } = parseAttributeName(by);
  return {
    by,
    help: 'the same value',
    valueOf: ({ row }) => {
      const [text = '', ...others] = read(row);
      return others.length === 0 ? text : [text, ...others].join(', ');
    },
    nameOf: (value) => (value === '' ? `no ${attribute}` : `${attribute}=${String(value)}`),
  };
}

/**
 * Returns an error message if events cannot be folded by this name; `undefined` if they can. An attribute must be named
 * with its owner, so that a misspelled name is not taken for an attribute that no event has.
 */
export function foldProblem(by: string): string | undefined {
  if (BUILT_IN_FOLDINGS.some((folding) => folding.by === by)) return undefined;
  if (ATTRIBUTE_NAME.exec(by)?.[0] === by && parseAttributeName(by).owners.length === 1) return attributeProblem(by);
  const names = [...BUILT_IN_FOLDINGS.map((folding) => folding.by), 'client.NAME', 'check.NAME'];
  return `events cannot be folded by ${JSON.stringify(by)}: use ${names.join(', ')}`;
}

/** The start of the key of each fold. No name can contain a blank, so it never is the key of an event. */
const FOLD_KEY_START = 'fold ';

export function foldKey(value: FoldValue): string {
  return FOLD_KEY_START + String(value);
}

/** Returns whether the key of a row in the list of events is that of a fold and not that of an event. */
export function isFoldKey(key: string): boolean {
  return key.startsWith(FOLD_KEY_START);
}

/** Returns the value of the fold with this key. */
export function foldValue(by: FoldCriterion, key: string): FoldValue {
  const value = key.slice(FOLD_KEY_START.length);
  return by === 'output' ? Number(value) : value;
}
