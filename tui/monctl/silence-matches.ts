import type { ApiClient } from '../../shared/client/api-client.ts';
import { withoutUndefined } from '../../shared/domain/without-undefined.ts';
import { clientSubscription } from '../../shared/domain/subscription.ts';
import { MonError } from '../../shared/errors.ts';
import { countedNoun } from './counted-noun.ts';
import type { SearchTarget } from './silence-target.ts';

/**
 * Report about a new silence: the number of events that it matches, and the name of its client if that does not exist.
 */
export interface SilenceMatchReport {
  /** Number of open events that the silence matches now; absent if the backend does not count them. */
  readonly events_matched?: number | undefined;
  /** Name of the client that the silence is for, if there is no such client. */
  readonly unknown_client?: string | undefined;
}

/**
 * Asks the backend what a new silence would match now. Errors are ignored, because the request that creates the silence
 * reports them.
 */
export async function silenceMatches(api: ApiClient, target: SearchTarget): Promise<SilenceMatchReport> {
  const [events, client] = await Promise.all([eventsMatched(api, target), unknownClient(api, target)]);
  return withoutUndefined({ events_matched: events, unknown_client: client });
}

/**
 * Returns the name in a subscription such as `client:web-1` if there is no client of this name; otherwise `undefined`.
 */
export async function unknownClient(
  api: Pick<ApiClient, 'client'>,
  { subscription }: Pick<SearchTarget, 'subscription'>,
): Promise<string | undefined> {
  const prefix = clientSubscription('');
  if (typeof subscription !== 'string' || !subscription.startsWith(prefix)) return undefined;
  const name = subscription.slice(prefix.length);
  return (await undefinedOnError(api.client(name).then((client) => client !== undefined))) === false ? name : undefined;
}

export function matchLines({ events_matched: events, unknown_client: client }: SilenceMatchReport): readonly string[] {
  return [
    ...(events === undefined ? [] : [`it matches ${countedNoun(events, 'events')} now`]),
    ...(client === undefined ? [] : [`warning: there is no client ${client} now; the silence applies when it reports`]),
  ];
}

async function eventsMatched(
  api: Pick<ApiClient, 'silencePreview'>,
  target: SearchTarget,
): Promise<number | undefined> {
  return (await undefinedOnError(api.silencePreview({ entries: [target] })))?.events?.total;
}

/** Returns the response, or `undefined` if the request fails with a `MonError`. */
async function undefinedOnError<Answer>(request: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await request;
  } catch (error) {
    if (error instanceof MonError) return undefined;
    throw error;
  }
}
