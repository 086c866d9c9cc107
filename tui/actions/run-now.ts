import { clientSubscription } from '../../shared/domain/subscription.ts';
import { safeLine } from '../../shared/domain/terminal-text.ts';
import { countOf } from '../words/changes.ts';
import { askFirst, named } from '../form/confirm.ts';
import { isConnected } from '../model/feed-status.ts';
import { mayChange } from './may-change.ts';
import { saysLost } from './targets.ts';
import type { Target } from '../model/target.ts';
import type { RunOrder } from '../state/effects.ts';
import type { ActionPorts } from './action-ports.ts';

/** Each check once, on the clients of the targets. */
export function runsOn(targets: readonly Target[]): readonly RunOrder[] {
  const subscribers = new Map<string, string[]>();
  for (const { client, check } of targets) {
    const known = subscribers.get(check);
    if (known === undefined) subscribers.set(check, [clientSubscription(client)]);
    else known.push(clientSubscription(client));
  }
  return Array.from(subscribers, ([check, some]) => ({ check, subscribers: some }));
}

/** Asks whether to run checks now, and says on whom. Without a connection the key means: connect. */
export function askRun(store: ActionPorts, orders: readonly RunOrder[]): void {
  if (!isConnected(store.feed)) return store.request({ kind: 'reconnect' });
  if (orders.length === 0) return store.say('there is no check to run');
  if (!mayChange(store, 'run')) return;
  if (
    saysLost(
      store,
      orders.flatMap(({ subscribers = [] }) => subscribers),
    )
  )
    return;
  const what = countOf(orders.length, 'check');
  askFirst(store, {
    title: `Run ${what} now`,
    lines: [...named(orders.map(orderText)), 'Out of turn: each answer counts as any other result.'],
    button: `Run ${what}`,
    count: orders.length,
    effect: { kind: 'request-checks', orders },
  });
}

/** `disk on client:web-01, client:web-02` */
function orderText({ check, subscribers }: RunOrder): string {
  if (subscribers === undefined) return safeLine(`${check} on all of its subscribers`);
  return safeLine(`${check} on ${named(subscribers).join(', ')}`);
}
