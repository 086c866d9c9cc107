import type { V2Silenced, SubmittedV2Silenced } from '../../schemas/v2/silenced.ts';
import type { SilencedEntry } from '../../schemas/silenced.ts';
import type { SilencedRequest } from '../silencing.ts';
import { v2Subscription, subscriptionOfV2 } from './subscription.ts';
import { EXPIRE_NEVER } from '../../schemas/lifetime.ts';

/**
 * The subscription and the check of a silence without a selector; both together identify it. Each is null if the
 * silence is not limited to one.
 */
export interface SilenceIdentity {
  readonly subscription: string | null;
  readonly check: string | null;
}

/** The internal form of a silence in a v2 request. */
export interface RequestedSilence {
  readonly request: SilencedRequest;
  /**
   * Attributes that `request` cannot contain. `expireAtMs` (epoch milliseconds) overrides the `expire` of `request`.
   */
  readonly overrides: Partial<Pick<SilencedEntry, 'expireAtMs' | 'lifetime' | 'labels' | 'annotations' | 'asterisks'>>;
}

/**
 * Returns the v2 name of a silence: `SUBSCRIPTION:CHECK`, with `*` for a missing part, or its id if it has a selector.
 */
export function v2SilencedName(entry: SilenceIdentity & Partial<Pick<SilencedEntry, 'id' | 'selector'>>): string {
  const { id, subscription, check, selector } = entry;
  if (selector !== undefined && id !== undefined) return id;
  return `${subscription === null ? '*' : v2Subscription(subscription)}:${check ?? '*'}`;
}

/**
 * Splits the v2 name of a silence into subscription and check. A name without a colon is that of a check, because one
 * v2 client sends such names (clients 7).
 *
 * @returns undefined if subscription and check are both missing or `*`
 */
export function parseV2SilencedName(name: string): SilenceIdentity | undefined {
  // Splits at the last colon, because a colon is more likely in a subscription than in a check. If the name of a check
  // contains a colon, subscription and check must be in the body of the request.
  const at = name.lastIndexOf(':');
  return partsOf(at === -1 ? null : name.slice(0, at), name.slice(at + 1));
}

/**
 * Returns the subscription and check of a submitted silence, or else those in its name.
 *
 * @returns undefined if both are missing or `*`
 */
export function partsOfV2Silenced({ subscription, check, metadata }: SubmittedV2Silenced): SilenceIdentity | undefined {
  const name = metadata?.name;
  return partsOf(subscription, check) ?? (name === undefined ? undefined : parseV2SilencedName(name));
}

function partsOf(
  subscription: string | null | undefined,
  check: string | null | undefined,
): SilenceIdentity | undefined {
  const named = presentName(subscription);
  const parts = { subscription: named === null ? null : subscriptionOfV2(named), check: presentName(check) };
  return parts.subscription === null && parts.check === null ? undefined : parts;
}

function presentName(part: string | null | undefined): string | null {
  return part === undefined || part === '' || part === '*' ? null : part;
}

type LabelPairs = Readonly<Record<string, string>>;

/** Whether a map of labels or annotations has entries; Sensu Go omits an empty map. */
function hasPairs(pairs: LabelPairs | null | undefined): pairs is LabelPairs {
  return Object.keys(pairs ?? {}).length > 0;
}

/** Converts a silence to its v2 form. */
export function v2SilencedOf(namespace: string, entry: SilencedEntry): V2Silenced {
  const { subscription, check, creator } = entry;
  return {
    metadata: {
      name: v2SilencedName(entry),
      namespace,
      ...(hasPairs(entry.labels) ? { labels: entry.labels } : {}),
      ...(hasPairs(entry.annotations) ? { annotations: entry.annotations } : {}),
      ...(creator === null || creator === '' ? {} : { created_by: creator }),
    },
    expire: lifetimeSeconds(entry),
    expire_at: endSeconds(entry),
    expire_on_resolve: entry.expire_on_resolve,
    creator: creator ?? '',
    ...shownPart('check', check, entry),
    ...(entry.reason ? { reason: entry.reason } : {}),
    ...shownPart('subscription', subscription === null ? null : v2Subscription(subscription), entry),
    begin: entry.begin ?? entry.timestamp,
  };
}

function shownPart<Part extends 'check' | 'subscription'>(
  part: Part,
  name: string | null,
  { asterisks = [] }: Pick<SilencedEntry, 'asterisks'>,
): Partial<Record<Part, string>> {
  const shown = name ?? (asterisks.includes(part) ? '*' : undefined);
  return shown === undefined ? {} : ({ [part]: shown } as Record<Part, string>);
}

/**
 * Converts a silence in a v2 request. `expire_at` overrides `expire`, with one exception: if `expire_at` is that of the
 * existing silence and `expire` was changed, the silence ends `expire` seconds from now.
 *
 * @param before the existing silence that is replaced; undefined if there is none
 */
export function silencedOfV2(
  core: SubmittedV2Silenced,
  parts: SilenceIdentity,
  before: SilencedEntry | undefined,
): RequestedSilence {
  const expireSeconds = (core.expire ?? 0) > 0 ? (core.expire ?? EXPIRE_NEVER) : EXPIRE_NEVER;
  const request: SilencedRequest = {
    ...parts,
    reason: core.reason,
    creator: core.creator,
    begin: core.begin === 0 ? null : core.begin,
    expire: expireSeconds,
    expire_on_resolve: core.expire_on_resolve,
  };
  const { labels, annotations } = core.metadata ?? {};
  const asterisks = (['subscription', 'check'] as const).filter((part) => core[part] === '*');
  const over = {
    ...(labels === undefined ? {} : { labels }),
    ...(annotations === undefined ? {} : { annotations }),
    ...(asterisks.length === 0 ? {} : { asterisks }),
  };
  const end = core.expire_at ?? 0;
  const isEndRead = before !== undefined && end === endSeconds(before);
  if (end === 0 || (isEndRead && expireSeconds !== lifetimeSeconds(before))) return { request, overrides: over };
  // If `expire_at` is unchanged, the exact end of the existing silence is kept; the API shows it in whole seconds.
  const expireAtMs = isEndRead ? before.expireAtMs : end * 1000;
  return {
    request,
    overrides: { ...over, expireAtMs, ...(expireSeconds === EXPIRE_NEVER ? {} : { lifetime: expireSeconds }) },
  };
}

/** Returns the expiry of a silence in epoch seconds, rounded up; 0 if it never expires. */
function endSeconds({ expireAtMs: endMs }: SilencedEntry): number {
  return endMs === null ? 0 : Math.ceil(endMs / 1000);
}

/** Returns the lifetime of a silence in seconds, from its creation or a later begin; -1 if it never expires. */
function lifetimeSeconds({ expireAtMs: endMs, lifetime, begin, timestamp }: SilencedEntry): number {
  if (endMs === null) return EXPIRE_NEVER;
  return lifetime ?? Math.max(0, Math.floor(endMs / 1000 - Math.max(timestamp, begin ?? 0)));
}
