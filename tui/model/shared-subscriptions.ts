import type { EventTarget } from './target.ts';
import type { LiveData } from './live-data.ts';

/**
 * Returns the subscriptions that the clients of all targets have in common, without `client:` subscriptions. A silence
 * for such a subscription covers the events of all targets.
 */
export function sharedSubscriptions(
  store: Pick<LiveData, 'clients'>,
  targets: readonly EventTarget[],
): readonly string[] {
  const [first, ...others] = new Set(targets.map((target) => target.client));
  const of = (client: string): readonly string[] => store.clients.get(client)?.subscriptions ?? [];
  if (first === undefined) return [];
  return of(first).filter(
    (subscription) =>
      !subscription.startsWith('client:') && others.every((client) => of(client).includes(subscription)),
  );
}
