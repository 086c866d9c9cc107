import type { Target } from './target.ts';
import type { LiveData } from './live-data.ts';

/** Returns the subscriptions that all of the clients share: a silence of one of them covers all targets. */
export function sharedSubscriptions(store: Pick<LiveData, 'clients'>, targets: readonly Target[]): readonly string[] {
  const [first, ...others] = new Set(targets.map((target) => target.client));
  const of = (client: string): readonly string[] => store.clients.get(client)?.subscriptions ?? [];
  if (first === undefined) return [];
  return of(first).filter(
    (subscription) =>
      !subscription.startsWith('client:') && others.every((client) => of(client).includes(subscription)),
  );
}
