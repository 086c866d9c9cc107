import type { Quiet } from '../../../../shared/domain/notify/verdict.ts';
import {
  commonMark,
  inhibitorOf,
  type InhibitionRule,
  type InhibitorIndex,
} from '../../../../shared/domain/notify/inhibition-rule.ts';
import type { Event } from '../../../../shared/schemas/event.ts';
import type { Inhibited, Inhibitor } from '../../../../shared/schemas/inhibition.ts';
import { CountedMap, MARK_BYTES, type Footprint } from '../../registry/footprint.ts';
import type { CheckEntry, Namespace } from '../../registry/namespace.ts';
import { checkKey } from './inhibited-events.ts';

/** An event that inhibits others by a rule. */
export interface HeldInhibitor extends Inhibitor {
  /** The mark of the rule when the record was made. */
  readonly mark: string;
  /** The values that inhibited events must have in common with it. */
  readonly key: string;
}

/** The inhibitors of a namespace, by rule and common key, and by client and check. */
class Inhibitors implements InhibitorIndex {
  readonly #byCheck: Map<string, Map<string, HeldInhibitor>>;
  readonly #byKey = new Map<string, Map<string, HeldInhibitor>>();
  readonly #byRule = new Map<string, Map<string, HeldInhibitor>>();

  constructor(footprint: Footprint) {
    this.#byCheck = new CountedMap(footprint, MARK_BYTES);
  }

  /** The number of inhibitors. */
  get size(): number {
    return this.#byCheck.size;
  }

  *all(): Generator<HeldInhibitor, void, undefined> {
    for (const own of this.#byCheck.values()) yield* own.values();
  }

  /** Returns the inhibitor records of an event, by rule. */
  of(client: string, check: string): ReadonlyMap<string, HeldInhibitor> {
    return this.#byCheck.get(checkKey(client, check)) ?? NONE;
  }

  /** Yields the inhibitors by the current form of a rule. */
  *by({ name, mark }: Pick<InhibitionRule, 'name' | 'mark'>): Generator<HeldInhibitor, void, undefined> {
    for (const inhibitor of this.#byRule.get(name)?.values() ?? []) if (inhibitor.mark === mark) yield inhibitor;
  }

  /** True if a rule has an inhibitor. */
  isFiring(rule: Pick<InhibitionRule, 'name' | 'mark'>): boolean {
    return this.by(rule).next().done !== true;
  }

  put(inhibitor: HeldInhibitor): void {
    this.remove(inhibitor);
    const { rule, mark, client, check } = inhibitor;
    const place = checkKey(client, check);
    putIn(this.#byCheck, place, rule, inhibitor);
    putIn(this.#byRule, rule, place, inhibitor);
    putIn(this.#byKey, commonKey(mark, rule, inhibitor.key), place, inhibitor);
  }

  remove({ rule, client, check }: Inhibitor): void {
    const place = checkKey(client, check);
    const present = this.#byCheck.get(place)?.get(rule);
    if (present === undefined) return;
    takeFrom(this.#byCheck, place, rule);
    takeFrom(this.#byRule, rule, place);
    takeFrom(this.#byKey, commonKey(present.mark, rule, present.key), place);
  }

  find(
    { mark, name }: InhibitionRule,
    key: string,
    other: { readonly client: string; readonly check: string },
  ): Omit<Inhibitor, 'rule'> | undefined {
    for (const { client, check } of this.#byKey.get(commonKey(mark, name, key))?.values() ?? []) {
      if (client !== other.client || check !== other.check) return { client, check };
    }
    return undefined;
  }
}

const NONE: ReadonlyMap<string, HeldInhibitor> = new Map();

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

function commonKey(mark: string, rule: string, key: string): string {
  return JSON.stringify([mark, rule, key]);
}

const openInhibitors = (footprint: Footprint): Inhibitors => new Inhibitors(footprint);

export function inhibitorsOf(namespace: Namespace): Inhibitors {
  return namespace.state(openInhibitors);
}

/** Returns the inhibition of an event that is not a resolve; undefined if it is not inhibited. */
export function inhibitionOf(rules: readonly InhibitionRule[], namespace: Namespace, event: Event): Quiet | undefined {
  return inhibitorOf(rules, inhibitorsOf(namespace), namespace.name, event);
}

/**
 * Returns the inhibition of the open event of a check, as long as its inhibitor persists with the same common key.
 * Undefined: the next result is notified.
 */
export function inhibitedNow({ client, state }: CheckEntry): Inhibited | undefined {
  const inhibited = state.event?.inhibited;
  if (inhibited === undefined) return undefined;
  const held = inhibitorsOf(client.namespace).of(inhibited.client, inhibited.check).get(inhibited.rule);
  if (held?.mark !== inhibited.mark) return undefined;
  const { common } = inhibited;
  return common === undefined || common === commonMark(held.key) ? inhibited : undefined;
}

/** The rules against which all open events were evaluated. */
class SettledRules {
  marks: readonly string[] = [];
}

export const openSettledRules = (): SettledRules => new SettledRules();
