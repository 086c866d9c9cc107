import type { Event } from '../../schemas/event.ts';
import type { Inhibited, InhibitionDefinition, Inhibitor } from '../../schemas/inhibition.ts';
import type { EventState } from '../event.ts';
import { inhibitedReason, type Quiet } from '../handling.ts';
import { fingerprintOf } from '../fingerprint.ts';
import { groupPlace } from '../grouping/place.ts';
import { redactKeysOf, checkRedactKeysOf } from '../redact.ts';
import { countField, statusField, type Field } from '../search-fields.ts';
import { attributeTexts, parseSelector, type Selector, type SelectorSubject } from '../selector.ts';
import { withheldNames } from '../withheld.ts';

/** A rule, ready to judge. */
export interface InhibitionRule {
  readonly name: string;
  /** Made of its name and all that it says: what was found by another one does not count. */
  readonly mark: string;
  readonly source: Selector;
  readonly target: Selector;
  readonly equal: readonly string[];
}

/** What is wrong with a definition, by its attribute. */
export interface InhibitionProblem {
  readonly attribute: 'source' | 'target';
  readonly message: string;
}

/** What changes from result to result, and may be looked at here: the event is at hand. */
const CHANGING: ReadonlyMap<string, Field<SelectorSubject>> = new Map(
  [
    statusField<SelectorSubject>(({ status }) => status),
    countField<SelectorSubject>('occurrences', ({ occurrences }) => occurrences),
  ].map((field) => [field.name, field]),
);

/** Reads a definition that its schema has let pass, once, when it is loaded. */
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
 * The mark of a rule. Stored events refer to it, so its fields keep the names `when` and `quiet`, which the attributes
 * `source` and `target` had before.
 */
function markOf(name: string, source: string, target: string, equal: readonly string[]): string {
  return fingerprintOf({ name, when: source, quiet: target, equal: JSON.stringify(equal) });
}

/** Whether an event keeps others quiet by a rule. */
export function isInhibitor({ source }: InhibitionRule, namespace: string, event: Event): boolean {
  return event.action !== 'resolve' && event.check.status !== 0 && source.matches(subjectOf(namespace, event));
}

/** An open event as far as memory knows it. */
export interface KnownEvent {
  readonly namespace: string;
  readonly client: string;
  readonly check: string;
  readonly subscriptions: readonly string[];
  readonly status: number;
  readonly occurrences: number;
}

/** Whether an event may be one that keeps others quiet, or is kept quiet: its attributes decide the rest. */
export function couldConcern(search: Selector, event: KnownEvent): boolean {
  return search.couldMatch({ ...event, attribute: () => [] });
}

/** What is as it was before leaves everything as it is. */
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

/** What events of a rule must have in common. */
export function commonKey({ equal }: InhibitionRule, event: Pick<Event, 'client' | 'check'>): string {
  return groupPlace(equal, event).key;
}

/** Of a key, which may be long, what is remembered in each event that is quiet. */
export function commonMark(key: string): string {
  return fingerprintOf({ key });
}

/** Who keeps an event quiet, of what is remembered in that event. */
export function inhibitorIn({ rule, client, check }: Inhibited): Inhibitor {
  return { rule, client, check };
}

/** Where the open events are found that keep others quiet by a rule. */
export interface InhibitorIndex {
  /** One other than this event that has the key in common; undefined: there is none. */
  find(
    rule: InhibitionRule,
    key: string,
    other: { readonly client: string; readonly check: string },
  ): Omit<Inhibitor, 'rule'> | undefined;
}

/**
 * What keeps an event quiet that is no end of a problem (inhibition 2); undefined: nothing does. What keeps others
 * quiet by a rule is never quiet by the same one: of two switches that fail, each would hide the other.
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

/** Why an event stays quiet that was it so far. */
export function quietAsBefore(inhibited: Inhibited): Quiet {
  const inhibitor = inhibitorIn(inhibited);
  const { mark, common } = inhibited;
  return { reason: inhibitedReason(inhibitor), inhibitor, mark, ...(common !== undefined && { common }) };
}

/** Why nobody hears of the end of an event that nobody has heard of; undefined: somebody has. */
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
