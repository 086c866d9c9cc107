import {
  equalHash,
  inhibitorOf,
  type InhibitionRule,
  type InhibitorIndex,
} from '../../../../../shared/domain/notify/inhibition-rule.ts';
import type { Event } from '../../../../../shared/schemas/event.ts';
import type { Inhibitor } from '../../../../../shared/schemas/inhibition.ts';
import type { InhibitorRef } from '../../../../../shared/schemas/notification-log.ts';
import { CountedMap, MARK_BYTES, type Footprint } from '../../registry/footprint.ts';
import type { CheckEntry, Namespace } from '../../registry/namespace.ts';
import { checkKey } from './inhibited-events.ts';

/** The record that an open event inhibits others under a rule. */
export interface ActiveInhibitor extends Inhibitor {
  /** The fingerprint that the rule had when the record was made. */
  readonly fingerprint: string;
  /** The values of the attributes in `equal` of the rule, as one text. Inhibited events must have the same values. */
  readonly key: string;
}

/** The inhibitor records of a namespace, indexed by event, by rule, and by rule and common key. */
class Inhibitors implements InhibitorIndex {
  readonly #byCheck: Map<string, Map<string, ActiveInhibitor>>;
  readonly #byKey = new Map<string, Map<string, ActiveInhibitor>>();
  readonly #byRule = new Map<string, Map<string, ActiveInhibitor>>();

  constructor(footprint: Footprint) {
    this.#byCheck = new CountedMap(footprint, MARK_BYTES);
  }

  /** The number of events that inhibit others under at least one rule. */
  get size(): number {
    return this.#byCheck.size;
  }

  *all(): Generator<ActiveInhibitor, void, undefined> {
    for (const own of this.#byCheck.values()) yield* own.values();
  }

  /** Returns the inhibitor records of one event, by the name of the rule. */
  of(client: string, check: string): ReadonlyMap<string, ActiveInhibitor> {
    return this.#byCheck.get(checkKey(client, check)) ?? NONE;
  }

  /** Yields the inhibitor records of a rule, without those that an earlier definition of the rule has left. */
  *by({
    name,
    fingerprint,
  }: Pick<InhibitionRule, 'name' | 'fingerprint'>): Generator<ActiveInhibitor, void, undefined> {
    for (const inhibitor of this.#byRule.get(name)?.values() ?? [])
      if (inhibitor.fingerprint === fingerprint) yield inhibitor;
  }

  /** True if at least one event inhibits others under the current definition of a rule. */
  isFiring(rule: Pick<InhibitionRule, 'name' | 'fingerprint'>): boolean {
    return this.by(rule).next().done !== true;
  }

  put(inhibitor: ActiveInhibitor): void {
    this.remove(inhibitor);
    const { rule, fingerprint, client, check } = inhibitor;
    const eventKey = checkKey(client, check);
    putIn(this.#byCheck, eventKey, rule, inhibitor);
    putIn(this.#byRule, rule, eventKey, inhibitor);
    putIn(this.#byKey, commonKey(fingerprint, rule, inhibitor.key), eventKey, inhibitor);
  }

  remove({ rule, client, check }: Inhibitor): void {
    const eventKey = checkKey(client, check);
    const present = this.#byCheck.get(eventKey)?.get(rule);
    if (present === undefined) return;
    takeFrom(this.#byCheck, eventKey, rule);
    takeFrom(this.#byRule, rule, eventKey);
    takeFrom(this.#byKey, commonKey(present.fingerprint, rule, present.key), eventKey);
  }

  find(
    { fingerprint, name }: InhibitionRule,
    key: string,
    other: { readonly client: string; readonly check: string },
  ): Omit<Inhibitor, 'rule'> | undefined {
    for (const { client, check } of this.#byKey.get(commonKey(fingerprint, name, key))?.values() ?? []) {
      if (client !== other.client || check !== other.check) return { client, check };
    }
    return undefined;
  }
}

const NONE: ReadonlyMap<string, ActiveInhibitor> = new Map();

function putIn<Item>(maps: Map<string, Map<string, Item>>, at: string, key: string, item: Item): void {
  const own = maps.get(at);
  if (own === undefined) maps.set(at, new Map([[key, item]]));
  else own.set(key, item);
}

function takeFrom<Item>(maps: Map<string, Map<string, Item>>, at: string, key: string): void {
  const own = maps.get(at);
  own?.delete(key);
  if (own?.size === 0) maps.delete(at);
}

function commonKey(fingerprint: string, rule: string, key: string): string {
  return JSON.stringify([fingerprint, rule, key]);
}

const openInhibitors = (footprint: Footprint): Inhibitors => new Inhibitors(footprint);

export function inhibitorsOf(namespace: Namespace): Inhibitors {
  return namespace.state(openInhibitors);
}

/**
 * Returns the rule and the recorded inhibitor that inhibit an event; undefined if the event is not inhibited. It must
 * not be called with a resolution.
 */
export function inhibitorNow(
  rules: readonly InhibitionRule[],
  namespace: Namespace,
  event: Event,
): InhibitorRef | undefined {
  return inhibitorOf(rules, inhibitorsOf(namespace), namespace.name, event);
}

/**
 * Returns the inhibitor in the notification log of an open event, if that inhibitor is still recorded with the same
 * rule definition and common key. Otherwise it returns undefined: the event is no longer inhibited by it.
 */
export function inhibitorOfOpen({ client, state }: CheckEntry): InhibitorRef | undefined {
  const inhibitor = state.event?.notifications.inhibitedBy;
  if (inhibitor === undefined) return undefined;
  const active = inhibitorsOf(client.namespace).of(inhibitor.client, inhibitor.check).get(inhibitor.rule);
  if (active?.fingerprint !== inhibitor.fingerprint) return undefined;
  return inhibitor.equalHash === undefined || inhibitor.equalHash === equalHash(active.key) ? inhibitor : undefined;
}

/** The fingerprints of the inhibition rules against which all open events were evaluated last. */
class SettledRules {
  fingerprints: readonly string[] = [];
}

export const openSettledRules = (): SettledRules => new SettledRules();
