import type { Event } from '../../schemas/event.ts';
import type { InhibitionDefinition, Inhibitor } from '../../schemas/inhibition.ts';
import type { InhibitorRef } from '../../schemas/notification-log.ts';
import { fingerprintOf } from '../fingerprint.ts';
import { computeGroupKey } from './group-key.ts';
import { redactKeysOf, checkRedactKeysOf } from '../redact.ts';
import { countField, statusField, type Field } from '../search-fields.ts';
import { attributeTexts, parseSelector, type Selector, type SelectorSubject } from '../selector.ts';

/** An inhibition rule whose selectors are parsed. */
export interface InhibitionRule {
  readonly name: string;
  /**
   * A hash of the name and the definition of the rule. An inhibitor record with another fingerprint was made under an
   * earlier definition of the rule and is ignored.
   */
  readonly fingerprint: string;
  readonly source: Selector;
  readonly target: Selector;
  readonly equal: readonly string[];
}

/** An error in the definition of an inhibition rule, with the attribute that contains it. */
export interface InhibitionRuleError {
  readonly attribute: 'source' | 'target';
  readonly message: string;
}

/**
 * Selector fields that may change with every result. Only inhibition rules may use them in selectors, because their
 * selectors are evaluated on the current event.
 */
const CHANGING_FIELDS: ReadonlyMap<string, Field<SelectorSubject>> = new Map(
  [
    statusField<SelectorSubject>(({ status }) => status),
    countField<SelectorSubject>('occurrences', ({ occurrences }) => occurrences),
  ].map((field) => [field.name, field]),
);

/**
 * Parses the definition of an inhibition rule. Called once, after the definition was loaded and its schema accepted it.
 *
 * @returns the rule, or the errors in its selectors
 */
export function parseInhibitionRule(
  name: string,
  definition: InhibitionDefinition,
): InhibitionRule | readonly InhibitionRuleError[] {
  const { equal } = definition;
  const source = parseSelector(definition.source, CHANGING_FIELDS);
  const target = parseSelector(definition.target, CHANGING_FIELDS);
  if (source.kind === 'selector' && target.kind === 'selector') {
    return { name, fingerprint: computeRuleFingerprint(name, source.text, target.text, equal), source, target, equal };
  }
  return [
    ...(source.kind === 'problem' ? [{ attribute: 'source' as const, message: source.message }] : []),
    ...(target.kind === 'problem' ? [{ attribute: 'target' as const, message: target.message }] : []),
  ];
}

/**
 * Returns the fingerprint of an inhibition rule. Stored events contain fingerprints, so the hash must not change: it
 * still uses `when` and `quiet`, the former names of the attributes `source` and `target`.
 */
function computeRuleFingerprint(name: string, source: string, target: string, equal: readonly string[]): string {
  return fingerprintOf({ name, when: source, quiet: target, equal: JSON.stringify(equal) });
}

/** True if an event can inhibit others under a rule: it is firing, and `source` of the rule matches it. */
export function isInhibitor({ source }: InhibitionRule, namespace: string, event: Event): boolean {
  return event.action !== 'resolve' && event.check.status !== 0 && source.matches(selectorSubject(namespace, event));
}

/** The attributes of an open event that are available in memory, without a read of the stored event. */
export interface OpenEventAttributes {
  readonly namespace: string;
  readonly client: string;
  readonly check: string;
  readonly subscriptions: readonly string[];
  readonly status: number;
  readonly occurrences: number;
}

/**
 * False if the attributes in memory show that a selector does not match an open event. If the result is true, only the
 * stored event can show whether the selector matches.
 */
export function mayMatchOpenEvent(selector: Selector, event: OpenEventAttributes): boolean {
  return selector.canMatchWithoutAttributes({ ...event, attribute: () => [] });
}

/**
 * Returns the values of the event attributes in `equal` of a rule, as one key. An event inhibits only events with the
 * same key.
 */
export function equalValuesKey({ equal }: InhibitionRule, event: Pick<Event, 'client' | 'check'>): string {
  return computeGroupKey(equal, event).key;
}

/**
 * Returns the hash of a key of `equal` values. The notification log of an inhibited event contains this hash instead of
 * the key, which may be long.
 */
export function hashEqualValues(key: string): string {
  return fingerprintOf({ key });
}

/** The index of the open events that inhibit others, by rule and by the key of their `equal` values. */
export interface InhibitorIndex {
  /**
   * Returns an event that inhibits others under this rule and has this key of `equal` values; undefined if there is
   * none.
   *
   * @param other the event that may be inhibited; it is never returned, because no event inhibits itself
   */
  find(
    rule: InhibitionRule,
    key: string,
    other: { readonly client: string; readonly check: string },
  ): Omit<Inhibitor, 'rule'> | undefined;
}

/**
 * Finds the open event that inhibits `event`, and the rule under which this happens; undefined if `event` is not
 * inhibited (inhibition 2). The first rule with an inhibitor is used. An event that matches `source` of a rule is never
 * inhibited under this rule. Otherwise, two failing switches would inhibit each other.
 *
 * @param event the event that may be inhibited; not a resolution
 */
export function findInhibitorByRules(
  rules: readonly InhibitionRule[],
  index: InhibitorIndex,
  namespace: string,
  event: Event,
): InhibitorRef | undefined {
  if (rules.length === 0) return undefined;
  const subject = selectorSubject(namespace, event);
  for (const rule of rules) {
    if (!rule.target.matches(subject) || rule.source.matches(subject)) continue;
    const key = equalValuesKey(rule, event);
    const inhibitor = index.find(rule, key, { client: event.client.name, check: event.check.name });
    if (inhibitor === undefined) continue;
    return { rule: rule.name, fingerprint: rule.fingerprint, ...inhibitor, equalHash: hashEqualValues(key) };
  }
  return undefined;
}

function selectorSubject(namespace: string, { client, check, occurrences }: Event): SelectorSubject {
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
