import type { Event } from '../../schemas/event.ts';
import type { Inhibited, InhibitionDefinition, Inhibitor } from '../../schemas/inhibition.ts';
import type { EventState } from '../event.ts';
import { inhibitedReason, type Quiet } from './verdict.ts';
import { fingerprintOf } from '../fingerprint.ts';
import { groupPlace } from './group-key.ts';
import { redactKeysOf, checkRedactKeysOf } from '../redact.ts';
import { countField, statusField, type Field } from '../search-fields.ts';
import { attributeTexts, parseSelector, type Selector, type SelectorSubject } from '../selector.ts';
import { withheldNames } from './log.ts';

/** A parsed inhibition rule. */
export interface InhibitionRule {
  readonly name: string;
  /**
   * A hash of its name and definition. Records made by an earlier form of the rule have another mark, and do not count.
   */
  readonly mark: string;
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
    return { name, mark: markOf(name, source.text, target.text, equal), source, target, equal };
  }
  return [
    ...(source.kind === 'problem' ? [{ attribute: 'source' as const, message: source.message }] : []),
    ...(target.kind === 'problem' ? [{ attribute: 'target' as const, message: target.message }] : []),
  ];
}

/**
 * Returns the mark of a rule. Stored events refer to it, so its fields keep `when` and `quiet`, the former names of the
 * attributes `source` and `target`.
 */
function markOf(name: string, source: string, target: string, equal: readonly string[]): string {
  return fingerprintOf({ name, when: source, quiet: target, equal: JSON.stringify(equal) });
}

/** True if an event inhibits others by a rule. */
export function isInhibitor({ source }: InhibitionRule, namespace: string, event: Event): boolean {
  return event.action !== 'resolve' && event.check.status !== 0 && source.matches(subjectOf(namespace, event));
}

/** The attributes of an open event that are in memory. */
export interface KnownEvent {
  readonly namespace: string;
  readonly client: string;
  readonly check: string;
  readonly subscriptions: readonly string[];
  readonly status: number;
  readonly occurrences: number;
}

/** True if a search may match an event. Its other attributes, which are not in memory, decide. */
export function couldConcern(search: Selector, event: KnownEvent): boolean {
  return search.couldMatch({ ...event, attribute: () => [] });
}

/**
 * Returns the next inhibition record of an event. An unchanged record is returned as the same object, so that nothing
 * is written.
 */
export function nextInhibited(
  before: Inhibited | undefined,
  quiet: Quiet | undefined,
  withheldFrom: readonly string[],
): Inhibited | undefined {
  if (quiet?.inhibitor === undefined || quiet.mark === undefined) return undefined;
  const isWithheld = withheldFrom.length > 0 || before?.isWithheld === true;
  const next = {
    ...quiet.inhibitor,
    mark: quiet.mark,
    common: quiet.common,
    isWithheld: isWithheld ? (true as const) : undefined,
    withheldFrom: isWithheld ? withheldNames(before, withheldFrom) : undefined,
  };
  const isSame =
    before?.rule === next.rule &&
    before.mark === next.mark &&
    before.common === next.common &&
    before.client === next.client &&
    before.check === next.check &&
    before.isWithheld === next.isWithheld &&
    before.withheldFrom === next.withheldFrom;
  return isSame ? before : next;
}

/** Returns the key of the values that inhibitors and inhibited events must have in common. */
export function commonKey({ equal }: InhibitionRule, event: Pick<Event, 'client' | 'check'>): string {
  return groupPlace(equal, event).key;
}

/** Returns a hash of a common key, which may be long, for the records of inhibited events. */
export function commonMark(key: string): string {
  return fingerprintOf({ key });
}

/** Returns the inhibitor from the inhibition record of an event. */
export function inhibitorIn({ rule, client, check }: Inhibited): Inhibitor {
  return { rule, client, check };
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
 * Returns the inhibition of an event that is not a resolve (inhibition 2); undefined if there is none. An inhibitor is
 * never inhibited by its own rule: of two failing switches, each would hide the other.
 */
export function inhibitorOf(
  rules: readonly InhibitionRule[],
  index: InhibitorIndex,
  namespace: string,
  event: Event,
): Quiet | undefined {
  if (rules.length === 0) return undefined;
  const subject = subjectOf(namespace, event);
  for (const rule of rules) {
    if (!rule.target.matches(subject) || rule.source.matches(subject)) continue;
    const key = commonKey(rule, event);
    const found = index.find(rule, key, { client: event.client.name, check: event.check.name });
    if (found === undefined) continue;
    const inhibitor = { rule: rule.name, ...found };
    return { reason: inhibitedReason(inhibitor), inhibitor, mark: rule.mark, common: commonMark(key) };
  }
  return undefined;
}

/** Returns the reason for an event that stays inhibited as before. */
export function quietAsBefore(inhibited: Inhibited): Quiet {
  const inhibitor = inhibitorIn(inhibited);
  const { mark, common } = inhibited;
  return { reason: inhibitedReason(inhibitor), inhibitor, mark, ...(common !== undefined && { common }) };
}

/**
 * Returns the reason why the resolve of a never notified event is not notified; undefined if a handler was notified of
 * the event.
 */
export function quietEnd({ isHeld }: Pick<EventState, 'isHeld'>): Quiet | undefined {
  return isHeld === true ? HELD_TO_THE_END : undefined;
}

const HELD_TO_THE_END: Quiet = { reason: 'its incident was inhibited, so its resolution is not notified' };

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
