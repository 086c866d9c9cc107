import type { ApiClient } from '../../shared/client/api-client.ts';
import { withoutUndefined } from '../../shared/domain/without-undefined.ts';
import { clientSubscription } from '../../shared/domain/subscription.ts';
import { MonError } from '../../shared/errors.ts';
import { counted } from './counted-noun.ts';
import type { SearchTarget } from './silence-target.ts';

/** The open events and the client that a new silence matches, as shown by the command that creates it. */
export interface SilenceMatchReport {
  /** The number of open events; absent if the backend does not count them. */
  readonly events_matched?: number | undefined;
  /** The client that the silence names, if it does not exist. */
  readonly unknown_client?: string | undefined;
}

/**
 * Asks the backend what a silence matches now. The request comes before the creation, which reports failures
 * itself.
 */
export async function silenceMatches(api: ApiClient, target: SearchTarget): Promise<SilenceMatchReport> {
  const [events, client] = await Promise.all([eventsMatched(api, target), unknownClient(api, target)]);
  return withoutUndefined({ events_matched: events, unknown_client: client });
}

/** Returns the client that a target names, if it does not exist. */
export async function unknownClient(
  api: Pick<ApiClient, 'client'>,
  { subscription }: Pick<SearchTarget, 'subscription'>,
): Promise<string | undefined> {
  const prefix = clientSubscription('');
  if (typeof subscription !== 'string' || !subscription.startsWith(prefix)) return undefined;
  const name = subscription.slice(prefix.length);
  return (await unlessRefused(api.client(name).then((client) => client !== undefined))) === false ? name : undefined;
}

export function matchLines({ events_matched: events, unknown_client: client }: SilenceMatchReport): readonly string[] {
  return [
    ...(events === undefined ? [] : [`it matches ${counted(events, 'events')} now`]),
    ...(client === undefined ? [] : [`warning: there is no client ${client} now; the silence applies when it reports`]),
  ];
}

async function eventsMatched(
  api: Pick<ApiClient, 'silencePreview'>,
  target: SearchTarget,
): Promise<number | undefined> {
  return (await unlessRefused(api.silencePreview({ entries: [target] })))?.events?.total;
}

/** Returns `undefined` if the backend or a role rejects the request. */
async function unlessRefused<Answer>(request: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await request;
  } catch (error) {
    if (error instanceof MonError) return undefined;
    throw error;
  }
}
