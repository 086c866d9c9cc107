import {
  hashEqualValues,
  findInhibitorByRules,
  type InhibitionRule,
  type InhibitorIndex,
} from '../../../../../shared/domain/notify/inhibition-rule.ts';
import type { Event } from '../../../../../shared/schemas/event.ts';
import type { Inhibitor } from '../../../../../shared/schemas/inhibition.ts';
import type { InhibitorRef } from '../../../../../shared/schemas/notification-log.ts';
import { CountedMap, CLIENT_MARK_BYTES, type Footprint } from '../../registry/footprint.ts';
import type { CheckEntry, Namespace } from '../../registry/namespace.ts';
import { clientCheckKey } from './inhibited-events.ts';

/** An inhibitor record: one open event that inhibits other events under one rule. */
export interface InhibitorRecord extends Inhibitor {
  /** The fingerprint of the rule when the record was made. */
  readonly fingerprint: string;
  /**
   * The values of the event attributes in `equal` of the rule, as one text. The event inhibits only events with the
   * same values.
   */
  readonly key: string;
}

/**
 * The inhibitor records of a namespace, with three indexes: by event, by rule, and by rule and values of the `equal`
 * attributes.
 */
class InhibitorRegistry implements InhibitorIndex {
  readonly #byEvent: Map<string, Map<string, InhibitorRecord>>;
  readonly #byCommonKey = new Map<string, Map<string, InhibitorRecord>>();
  readonly #byRule = new Map<string, Map<string, InhibitorRecord>>();

  constructor(footprint: Footprint) {
    this.#byEvent = new CountedMap(footprint, CLIENT_MARK_BYTES);
  }

  /** The number of events that inhibit others under at least one rule. */
  get size(): number {
    return this.#byEvent.size;
  }

  *all(): Generator<InhibitorRecord, void, undefined> {
    for (const recordsByRule of this.#byEvent.values()) yield* recordsByRule.values();
  }

  /** Returns the inhibitor records of one event, by the name of the rule. */
  ofEvent(client: string, check: string): ReadonlyMap<string, InhibitorRecord> {
    return this.#byEvent.get(clientCheckKey(client, check)) ?? NO_INHIBITORS;
  }

  /**
   * Yields the inhibitor records of the current definition of a rule. Records that were made under an earlier
   * definition are omitted.
   */
  *ofRule({
    name,
    fingerprint,
  }: Pick<InhibitionRule, 'name' | 'fingerprint'>): Generator<InhibitorRecord, void, undefined> {
    for (const inhibitor of this.#byRule.get(name)?.values() ?? [])
      if (inhibitor.fingerprint === fingerprint) yield inhibitor;
  }

  /** True if at least one event inhibits others under the current definition of a rule. */
  hasInhibitor(rule: Pick<InhibitionRule, 'name' | 'fingerprint'>): boolean {
    return this.ofRule(rule).next().done !== true;
  }

  put(inhibitor: InhibitorRecord): void {
    this.remove(inhibitor);
    const { rule, fingerprint, client, check } = inhibitor;
    const eventKey = clientCheckKey(client, check);
    putInNested(this.#byEvent, eventKey, rule, inhibitor);
    putInNested(this.#byRule, rule, eventKey, inhibitor);
    putInNested(this.#byCommonKey, ruleAndEqualKey(fingerprint, rule, inhibitor.key), eventKey, inhibitor);
  }

  remove({ rule, client, check }: Inhibitor): void {
    const eventKey = clientCheckKey(client, check);
    const recorded = this.#byEvent.get(eventKey)?.get(rule);
    if (recorded === undefined) return;
    removeFromNested(this.#byEvent, eventKey, rule);
    removeFromNested(this.#byRule, rule, eventKey);
    removeFromNested(this.#byCommonKey, ruleAndEqualKey(recorded.fingerprint, rule, recorded.key), eventKey);
  }

  find(
    { fingerprint, name }: InhibitionRule,
    commonKey: string,
    other: { readonly client: string; readonly check: string },
  ): Omit<Inhibitor, 'rule'> | undefined {
    for (const { client, check } of this.#byCommonKey.get(ruleAndEqualKey(fingerprint, name, commonKey))?.values() ??
      []) {
      if (client !== other.client || check !== other.check) return { client, check };
    }
    return undefined;
  }
}

const NO_INHIBITORS: ReadonlyMap<string, InhibitorRecord> = new Map();

function putInNested<Item>(
  outerMap: Map<string, Map<string, Item>>,
  outerKey: string,
  innerKey: string,
  item: Item,
): void {
  const innerMap = outerMap.get(outerKey);
  if (innerMap === undefined) outerMap.set(outerKey, new Map([[innerKey, item]]));
  else innerMap.set(innerKey, item);
}

function removeFromNested<Item>(outerMap: Map<string, Map<string, Item>>, outerKey: string, innerKey: string): void {
  const innerMap = outerMap.get(outerKey);
  innerMap?.delete(innerKey);
  if (innerMap?.size === 0) outerMap.delete(outerKey);
}

function ruleAndEqualKey(fingerprint: string, rule: string, commonKey: string): string {
  return JSON.stringify([fingerprint, rule, commonKey]);
}

const createInhibitorRegistry = (footprint: Footprint): InhibitorRegistry => new InhibitorRegistry(footprint);

export function inhibitorsOf(namespace: Namespace): InhibitorRegistry {
  return namespace.state(createInhibitorRegistry);
}

/**
 * Returns the open event that inhibits `event`, and the rule, according to the inhibitor records of the namespace;
 * undefined if `event` is not inhibited. `event` must not be a resolution.
 */
export function findRecordedInhibitor(
  rules: readonly InhibitionRule[],
  namespace: Namespace,
  event: Event,
): InhibitorRef | undefined {
  return findInhibitorByRules(rules, inhibitorsOf(namespace), namespace.name, event);
}

/**
 * Returns the inhibitor in the notification log of an open event, if an inhibitor record still confirms it: for the
 * same inhibiting event, the same rule definition and the same values of the `equal` attributes. Otherwise returns
 * undefined.
 */
export function loggedInhibitorIfActive({ client, state }: CheckEntry): InhibitorRef | undefined {
  const inhibitor = state.event?.notifications.inhibitedBy;
  if (inhibitor === undefined) return undefined;
  const active = inhibitorsOf(client.namespace).ofEvent(inhibitor.client, inhibitor.check).get(inhibitor.rule);
  if (active?.fingerprint !== inhibitor.fingerprint) return undefined;
  return inhibitor.equalHash === undefined || inhibitor.equalHash === hashEqualValues(active.key)
    ? inhibitor
    : undefined;
}

/** The fingerprints of the inhibition rules against which all open events were last evaluated. */
class EvaluatedInhibitionRules {
  fingerprints: readonly string[] = [];
}

export const createEvaluatedInhibitionRules = (): EvaluatedInhibitionRules => new EvaluatedInhibitionRules();
