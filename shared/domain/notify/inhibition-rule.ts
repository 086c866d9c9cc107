import type { Event } from '../../schemas/event.ts';
import type { InhibitionDefinition, Inhibitor } from '../../schemas/inhibition.ts';
import type { InhibitorRef } from '../../schemas/notification-log.ts';
import { fingerprintOf } from '../fingerprint.ts';
import { groupKey } from './group-key.ts';
import { redactKeysOf, checkRedactKeysOf } from '../redact.ts';
import { countField, statusField, type Field } from '../search-fields.ts';
import { attributeTexts, parseSelector, type Selector, type SelectorSubject } from '../selector.ts';

/** A parsed inhibition rule. */
export interface InhibitionRule {
  readonly name: string;
  /**
   * A hash of its name and definition. Records made by an earlier form of the rule have another one, and do not count.
   */
  readonly fingerprint: string;
  readonly source: Selector;
  readonly target: Selector;
  readonly equal: readonly string[];
}

/** An error in a definition, with its attribute. */
export interface InhibitionProblem {
  readonly attribute: 'source' | 'target';
  readonly message: string;
}

/**
 * Fields that change from result to result. They are allowed here, because a rule is evaluated with the event at hand.
 */
const CHANGING: ReadonlyMap<string, Field<SelectorSubject>> = new Map(
  [
    statusField<SelectorSubject>(({ status }) => status),
    countField<SelectorSubject>('occurrences', ({ occurrences }) => occurrences),
  ].map((field) => [field.name, field]),
);

/** Parses a definition that its schema has accepted, once, when it is loaded. */
export function parseInhibition(
  name: string,
  definition: InhibitionDefinition,
): InhibitionRule | readonly InhibitionProblem[] {
  const { equal } = definition;
  const source = parseSelector(definition.source, CHANGING);
  const target = parseSelector(definition.target, CHANGING);
  if (source.kind === 'selector' && target.kind === 'selector') {
    return { name, fingerprint: fingerprint(name, source.text, target.text, equal), source, target, equal };
  }
  return [
    ...(source.kind === 'problem' ? [{ attribute: 'source' as const, message: source.message }] : []),
    ...(target.kind === 'problem' ? [{ attribute: 'target' as const, message: target.message }] : []),
  ];
}

/**
 * Returns the fingerprint of a rule. Stored events refer to it, so its fields keep `when` and `quiet`, the former names
 * of the attributes `source` and `target`.
 */
function fingerprint(name: string, source: string, target: string, equal: readonly string[]): string {
  return fingerprintOf({ name, when: source, quiet: target, equal: JSON.stringify(equal) });
}

/** True if an event inhibits others by a rule. */
export function isInhibitor({ source }: InhibitionRule, namespace: string, event: Event): boolean {
  return event.action !== 'resolve' && event.check.status !== 0 && source.matches(subjectOf(namespace, event));
}

/** The attributes of an open event that are in memory. */
export interface OpenEventAttributes {
  readonly namespace: string;
  readonly client: string;
  readonly check: string;
  readonly subscriptions: readonly string[];
  readonly status: number;
  readonly occurrences: number;
}

/** True if a selector can match an event, as far as the attributes in memory show. The whole event decides. */
export function couldConcern(search: Selector, event: OpenEventAttributes): boolean {
  return search.couldMatch({ ...event, attribute: () => [] });
}

/** Returns the key of the values that inhibitors and inhibited events must have in common. */
export function commonKey({ equal }: InhibitionRule, event: Pick<Event, 'client' | 'check'>): string {
  return groupKey(equal, event).key;
}

/** Returns a hash of a common key, which may be long, for the logs of inhibited events. */
export function equalHash(key: string): string {
  return fingerprintOf({ key });
}

/** The index of the open events that inhibit others, by rule. */
export interface InhibitorIndex {
  /** Returns an inhibitor other than this event that has the same common key; undefined if there is none. */
  find(
    rule: InhibitionRule,
    key: string,
    other: { readonly client: string; readonly check: string },
  ): Omit<Inhibitor, 'rule'> | undefined;
}

/**
 * Returns the event that inhibits another one, which is not a resolve (inhibition 2); undefined if there is none. An
 * inhibitor is never inhibited by its own rule: of two failing switches, each would hide the other.
 */
export function inhibitorOf(
  rules: readonly InhibitionRule[],
  index: InhibitorIndex,
  namespace: string,
  event: Event,
): InhibitorRef | undefined {
  if (rules.length === 0) return undefined;
  const subject = subjectOf(namespace, event);
  for (const rule of rules) {
    if (!rule.target.matches(subject) || rule.source.matches(subject)) continue;
    const key = commonKey(rule, event);
    const inhibitor = index.find(rule, key, { client: event.client.name, check: event.check.name });
    if (inhibitor === undefined) continue;
    return { rule: rule.name, fingerprint: rule.fingerprint, ...inhibitor, equalHash: equalHash(key) };
  }
  return undefined;
}

function subjectOf(namespace: string, { client, check, occurrences }: Event): SelectorSubject {
  const hidden = { client: redactKeysOf(client), check: checkRedactKeysOf(client) };
  return {
    namespace,
    client: client.name,
    check: check.name,
    subscriptions: client.subscriptions,
    status: check.status,
    occurrences,
    attribute: (owner, name) => attributeTexts(owner === 'client' ? client : check, name, hidden[owner]),
  };
}
