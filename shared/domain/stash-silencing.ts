import type { StashView } from '../schemas/stash.ts';
import { silencedId, type SilencedRequest } from './silencing.ts';
import { clientSubscription } from './subscription.ts';
import { isOlder, parseVersion, type Version } from './plan/version.ts';

/** The outcome of converting a stash `silence/…` to a silence: the request, or why it is `unclear` (reference 9.1). */
export type StashMigration =
  | {
      readonly kind: 'entry';
      readonly path: string;
      readonly id: string;
      /** The request for the silence. Its `expire` is the remaining time of the stash. */
      readonly request: SilencedRequest;
      /** Name of the silenced client; undefined if the stash silences a check on all clients. */
      readonly client: string | undefined;
    }
  | { readonly kind: 'unclear'; readonly path: string; readonly reason: string };

const STASH_PATH_PREFIX = 'silence';
/** The word that replaces the client in the path of a stash that silences a check on all clients (clients 4). */
const ALL_CLIENTS_WORD = 'all';

const NAME_FORMAT = /^[\w.-]{1,255}$/;
const CLIENT_NAME = /^[\w.:-]{1,240}$/;

const REASON_LENGTH_MAX = 10_000;
const CREATOR_LENGTH_MAX = 255;

/** Attributes of a stash in which older programs stored the creator. */
const CREATOR_KEYS = ['owner', 'creator', 'username', 'user', 'source'];
const REASON_KEYS = ['reason', 'message', 'comment'];

/**
 * The first version of Sensu with silences. Older clients do not have the subscription `client:NAME`, which silences of
 * one client use (reference 9.1).
 */
const SILENCES_VERSION: Version = [0, 26, 0];

/**
 * Converts a stash to a request for a silence.
 *
 * @returns undefined if the stash silences nothing
 */
export function convertStash(stash: StashView): StashMigration | undefined {
  const { path } = stash;
  const [prefix, client, check, ...extraParts] = path.split('/');
  if (prefix !== STASH_PATH_PREFIX || path === STASH_PATH_PREFIX) return undefined;
  const unclear = (reason: string): StashMigration => ({ kind: 'unclear', path, reason });
  if (client === undefined || client === '' || extraParts.length > 0 || check === '') {
    return unclear('must be silence/CLIENT, silence/CLIENT/CHECK or silence/all/CHECK');
  }
  if (check !== undefined && !NAME_FORMAT.test(check)) return unclear(`${check} cannot be the name of a check`);
  if (client === ALL_CLIENTS_WORD && check !== undefined) return entryOf(stash, undefined, check);
  if (!CLIENT_NAME.test(client)) return unclear(`${client} cannot be the name of a client`);
  return entryOf(stash, client, check);
}

function entryOf(
  { path, content, expire }: StashView,
  client: string | undefined,
  check: string | undefined,
): StashMigration {
  const subscription = client === undefined ? null : clientSubscription(client);
  return {
    kind: 'entry',
    path,
    id: silencedId(subscription, check),
    client,
    request: {
      subscription,
      check: check ?? null,
      expire,
      reason: textOf(content, REASON_KEYS, REASON_LENGTH_MAX),
      creator: textOf(content, CREATOR_KEYS, CREATOR_LENGTH_MAX),
    },
  };
}

function textOf(content: StashView['content'], keys: readonly string[], lengthMax: number): string | null {
  for (const key of keys) {
    const value = Object.hasOwn(content, key) ? content[key] : undefined;
    if (typeof value === 'string' && value !== '') return value.slice(0, lengthMax);
  }
  return null;
}

/** The attributes of a registered client that decide whether a silence of this client can match. */
interface SilencedClient {
  readonly name: string;
  readonly version?: unknown;
  readonly subscriptions: readonly string[];
}

/**
 * Returns why a silence of this client would have no effect; undefined if it would have one. Such a client must be
 * upgraded before its stashes are converted (reference 9.1).
 */
export function silenceSupportProblem({ name, version, subscriptions }: SilencedClient): string | undefined {
  if (!subscriptions.includes(clientSubscription(name)))
    return `${name} lacks the subscription ${clientSubscription(name)}`;
  const parsed = typeof version === 'string' ? parseVersion(version) : undefined;
  if (parsed !== undefined && isOlder(parsed, SILENCES_VERSION))
    return `${name} runs ${String(version)}, older than 0.26`;
  return undefined;
}

/** Whether an existing silence lasts at least as long as a requested one. Both are in seconds; -1 means unlimited. */
export function lastsAtLeastAsLong(presentSeconds: number, requestedSeconds: number): boolean {
  if (presentSeconds === -1) return true;
  return requestedSeconds !== -1 && presentSeconds >= requestedSeconds;
}
