import {
  CHECK_ATTRIBUTES,
  CLIENT_ATTRIBUTES,
  type AttributeSet,
  type EventAttributes,
} from '../schemas/attribute-set.ts';
import type { EventRow } from '../schemas/feed.ts';
import {
  ATTRIBUTE_NAME,
  isSecret,
  isUnstable,
  parseAttributeName,
  type AttributeName,
  type AttributeOwner,
} from './attribute-name.ts';
import { compareText } from './compare-text.ts';
import { numberOf } from './search-fields.ts';
import { clientSubscription } from './subscription.ts';

/*
 * The attributes of the client and the check of an event. Searches, sort orders and columns of events read them here,
 * and name them in the same way: `client.rack`, `check.team`, or `rack` for an attribute of the client or the check.
 */

/** The attribute with the subscriptions of a client. It needs no owner, and `subscription` is another name of it. */
export const SUBSCRIPTIONS_ATTRIBUTE = 'subscriptions';

const NO_TEXTS: readonly string[] = [];
const CLIENT_ONLY: readonly AttributeOwner[] = ['client'];

/** Reads an attribute of an event as texts. A list has several texts; an attribute that is missing has none. */
export type AttributeReader = (row: EventRow) => readonly string[];

/**
 * Returns a function that reads an attribute of events.
 *
 * @param name `client.rack`, `check.team`, or `rack` for an attribute of the client or the check
 */
export function attributeReader(name: string): AttributeReader {
  const parsed = parseAttributeName(name);
  const owners = isSubscriptions(parsed) ? CLIENT_ONLY : parsed.owners;
  const attribute = isSubscriptions(parsed) ? SUBSCRIPTIONS_ATTRIBUTE : parsed.attribute;
  const [owner] = owners;
  if (owners.length === 1 && owner !== undefined) return (row) => setOf(row, owner)?.texts(attribute) ?? NO_TEXTS;
  return (row) => {
    const ofClient = row[CLIENT_ATTRIBUTES]?.texts(attribute) ?? NO_TEXTS;
    const ofCheck = row[CHECK_ATTRIBUTES]?.texts(attribute) ?? NO_TEXTS;
    if (ofCheck.length === 0) return ofClient;
    return ofClient.length === 0 ? ofCheck : [...ofClient, ...ofCheck];
  };
}

/** Returns the value of an attribute of an event as one text; `''` if it is missing. See `attributeReader`. */
export function attributeTextOf(row: EventRow, name: string): string {
  return attributeReader(name)(row).join(', ');
}

/** Returns all subscriptions of the client of an event: also its own one, which `attributeReader` leaves out. */
export function subscriptionsOfEvent(row: EventRow): readonly string[] {
  const set = row[CLIENT_ATTRIBUTES];
  return set === undefined ? NO_TEXTS : [...set.texts(SUBSCRIPTIONS_ATTRIBUTE), clientSubscription(row.client)];
}

/** A column of a list of events that shows an attribute. */
export interface AttributeColumn {
  /** The name of the attribute with its owner in lower case, such as `client.rack`; it identifies the column. */
  readonly id: string;
  /** The title, such as `RACK`. */
  readonly title: string;
  readonly texts: AttributeReader;
}

/** Says which columns of attributes exist, at the end of error messages. */
const COLUMN_HINT = 'use subscriptions, client.NAME or check.NAME';

/**
 * Parses the name of a column that shows an attribute: `client.rack`, `check.team` or `subscriptions`. The owner is
 * required, so that a misspelled name of another column is not taken for an attribute.
 *
 * @returns the column, or an error message that says what is allowed
 */
export function parseAttributeColumn(name: string): AttributeColumn | string {
  const parsed = parseAttributeName(name);
  if (isSubscriptions(parsed))
    return { id: SUBSCRIPTIONS_ATTRIBUTE, title: 'SUBSCRIPTIONS', texts: attributeReader(name) };
  const { owners, attribute } = parsed;
  const [owner] = owners;
  if (owner === undefined || owners.length > 1 || ATTRIBUTE_NAME.exec(name)?.[0] !== name)
    return `there is no column "${name}": for an attribute, ${COLUMN_HINT}`;
  const problem = attributeProblem(name);
  if (problem !== undefined) return problem;
  return { id: `${owner}.${attribute}`, title: attribute.toUpperCase(), texts: attributeReader(name) };
}

/** Says how attributes are named, at the end of error messages. */
export const ATTRIBUTE_HINT =
  'use subscriptions, client.NAME, check.NAME or just NAME for an attribute of the client or the check';

/** Attributes of clients and checks for which events have a field of their own. */
const FIELDS_OF_ATTRIBUTES: ReadonlyMap<string, string> = new Map([
  ['client.name', 'client'],
  ['check.name', 'check'],
  ['check.status', 'status'],
  ['check.state', 'status'],
  ['check.output', 'output'],
  ['check.occurrences', 'occurrences'],
  ['state', 'status'],
]);

/** Returns an error message with what to use instead if events cannot be searched or sorted by an attribute. */
export function attributeProblem(name: string): string | undefined {
  const own = FIELDS_OF_ATTRIBUTES.get(name.toLowerCase());
  if (own !== undefined) return `${name} is called ${own} here: use ${own}`;
  const parsed = parseAttributeName(name);
  if (isSecret(parsed)) return `${name} is secret and cannot be searched for: ${ATTRIBUTE_HINT}`;
  if (isUnstable(parsed)) return `${name} changes with every result and is not an attribute: ${ATTRIBUTE_HINT}`;
  if (parsed.owners.includes('client') && parsed.attribute === 'address')
    return `${name} differs on every client: use client, or search the list of clients for the address`;
  return undefined;
}

/**
 * Compares the texts of an attribute in ascending order. Numbers are compared by value and come before other texts. A
 * missing attribute comes last.
 */
export function compareAttributes(a: string, b: string): number {
  if (a === b) return 0;
  if (a === '' || b === '') return a === '' ? 1 : -1;
  const [left, right] = [numberOf(a), numberOf(b)];
  if (left === undefined && right === undefined) return compareText(a, b);
  if (left === undefined || right === undefined) return left === undefined ? 1 : -1;
  return left - right || compareText(a, b);
}

/**
 * Returns the names of the attributes that these events have: `subscriptions`, then the attributes of clients, then
 * those of checks. Of each owner, nested attributes come last.
 */
export function attributeNamesOf(rows: Iterable<EventAttributes>): readonly string[] {
  const ofClients = new Set<AttributeSet>();
  const ofChecks = new Set<AttributeSet>();
  for (const row of rows) {
    const { [CLIENT_ATTRIBUTES]: ofClient, [CHECK_ATTRIBUTES]: ofCheck } = row;
    if (ofClient !== undefined) ofClients.add(ofClient);
    if (ofCheck !== undefined) ofChecks.add(ofCheck);
  }
  if (ofClients.size === 0 && ofChecks.size === 0) return NO_TEXTS;
  return [
    SUBSCRIPTIONS_ATTRIBUTE,
    ...attributeNamesOfOwner('client', ofClients),
    ...attributeNamesOfOwner('check', ofChecks),
  ];
}

function depthOf(name: string): number {
  return name.split('.').length;
}

function attributeNamesOfOwner(owner: AttributeOwner, sets: Iterable<AttributeSet>): readonly string[] {
  // Most sets share the list of their names, which is then read once.
  const lists = new Set<readonly string[]>();
  for (const set of sets) lists.add(set.names);
  const names = new Set<string>();
  for (const list of lists) for (const name of list) names.add(name);
  if (owner === 'client') names.delete(SUBSCRIPTIONS_ATTRIBUTE);
  return [...names].toSorted((a, b) => depthOf(a) - depthOf(b) || compareText(a, b)).map((name) => `${owner}.${name}`);
}

/** Returns the values of an attribute that these events have, in order; at most `most` of them. */
export function attributeValuesOf(rows: Iterable<EventRow>, name: string, most: number): readonly string[] {
  const read = attributeReader(name);
  const values = new Set<string>();
  for (const row of rows) {
    for (const text of read(row)) values.add(text);
    if (values.size >= most) break;
  }
  return [...values].toSorted(compareAttributes);
}

function isSubscriptions({ owners, attribute }: AttributeName): boolean {
  return owners.includes('client') && (attribute === SUBSCRIPTIONS_ATTRIBUTE || attribute === 'subscription');
}

function setOf(row: EventAttributes, owner: AttributeOwner): AttributeSet | undefined {
  return owner === 'client' ? row[CLIENT_ATTRIBUTES] : row[CHECK_ATTRIBUTES];
}
