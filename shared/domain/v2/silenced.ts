import type { V2Silenced, SubmittedV2Silenced } from '../../schemas/v2/silenced.ts';
import type { SilencedEntry } from '../../schemas/silenced.ts';
import type { SilencedRequest } from '../silencing.ts';
import { v2Subscription, subscriptionOfV2 } from './subscription.ts';
import { EXPIRE_NEVER } from '../../schemas/lifetime.ts';

/** What names an entry, as the model has it. */
export interface SilencedParts {
  readonly subscription: string | null;
  readonly check: string | null;
}

/** An entry that version 2 asks for, in terms of the model. */
export interface AskedSilenced {
  readonly request: SilencedRequest;
  /** What only this face can say. An end given as a time is in epoch milliseconds, and wins over the request. */
  readonly over: Partial<Pick<SilencedEntry, 'expireAtMs' | 'lifetime' | 'labels' | 'annotations' | 'asterisks'>>;
}

/** The name of an entry there: `SUBSCRIPTION:CHECK`, with `*` for a missing part; of one with a selector its id. */
export function v2SilencedName(entry: SilencedParts & Partial<Pick<SilencedEntry, 'id' | 'selector'>>): string {
  const { id, subscription, check, selector } = entry;
  if (selector !== undefined && id !== undefined) return id;
  return `${subscription === null ? '*' : v2Subscription(subscription)}:${check ?? '*'}`;
}

/**
 * The parts that a name stands for. A name without a colon is a check, as one client writes it (clients 7).
 *
 * @returns undefined when it names neither part
 */
export function partsOfV2Name(name: string): SilencedParts | undefined {
  // Of a check with a colon in its name the parts are told by the body; here it is rather one of the subscription.
  const at = name.lastIndexOf(':');
  return partsOf(at === -1 ? null : name.slice(0, at), name.slice(at + 1));
}

/**
 * The parts of an entry as it is sent; its name counts where they are missing.
 *
 * @returns undefined when nothing names a part
 */
export function partsOfV2Silenced({ subscription, check, metadata }: SubmittedV2Silenced): SilencedParts | undefined {
  const name = metadata?.name;
  return partsOf(subscription, check) ?? (name === undefined ? undefined : partsOfV2Name(name));
}

function partsOf(subscription: string | null | undefined, check: string | null | undefined): SilencedParts | undefined {
  const named = present(subscription);
  const parts = { subscription: named === null ? null : subscriptionOfV2(named), check: present(check) };
  return parts.subscription === null && parts.check === null ? undefined : parts;
}

function present(part: string | null | undefined): string | null {
  return part === undefined || part === '' || part === '*' ? null : part;
}

type Pairs = Readonly<Record<string, string>>;

/** Whether there are labels or annotations; the peer leaves out an empty map. */
function hasPairs(pairs: Pairs | null | undefined): pairs is Pairs {
  return Object.keys(pairs ?? {}).length > 0;
}

/** The entry as version 2 shows it. */
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
    expire: askedSeconds(entry),
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
 * The entry that is asked for. An `expire_at` wins over `expire`, except where both come from reading the present entry
 * and only `expire` was changed: then it counts anew.
 *
 * @param before the entry that it replaces
 */
export function silencedOfV2(
  core: SubmittedV2Silenced,
  parts: SilencedParts,
  before: SilencedEntry | undefined,
): AskedSilenced {
  const asked = (core.expire ?? 0) > 0 ? (core.expire ?? EXPIRE_NEVER) : EXPIRE_NEVER;
  const request: SilencedRequest = {
    ...parts,
    reason: core.reason,
    creator: core.creator,
    begin: core.begin === 0 ? null : core.begin,
    expire: asked,
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
  if (end === 0 || (isEndRead && asked !== askedSeconds(before))) return { request, over };
  // The end that was read is in whole seconds: the entry keeps its own.
  const expireAtMs = isEndRead ? before.expireAtMs : end * 1000;
  return { request, over: { ...over, expireAtMs, ...(asked === EXPIRE_NEVER ? {} : { lifetime: asked }) } };
}

/** Epoch seconds; 0: never. */
function endSeconds({ expireAtMs: endMs }: SilencedEntry): number {
  return endMs === null ? 0 : Math.ceil(endMs / 1000);
}

/** The lifetime that was asked for; it counted from the moment at which the entry was made, or from a later begin. */
function askedSeconds({ expireAtMs: endMs, lifetime, begin, timestamp }: SilencedEntry): number {
  if (endMs === null) return EXPIRE_NEVER;
  return lifetime ?? Math.max(0, Math.floor(endMs / 1000 - Math.max(timestamp, begin ?? 0)));
}
