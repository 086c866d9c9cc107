import { inspectTargets } from '../screens/inspect/targets.ts';
import type { InspectLayer } from '../state/layers/inspect.ts';
import type { CheckTableRow } from '../screens/checks/table.ts';
import { handleTopLayer, type Action } from '../keys/action.ts';
import type { EventTarget } from '../model/target.ts';
import type { ListOfView } from '../list/list-of-view.ts';
import { selectedTargets, selectedRows } from '../list/selected-rows.ts';
import { clientSubscription } from '../../shared/domain/subscription.ts';
import { safeLine } from '../../shared/domain/terminal-text.ts';
import { countOf } from '../words/changes.ts';
import { openConfirmation, namesWithinLimit } from '../form/confirm.ts';
import { isConnected } from '../model/feed-status.ts';
import { mayChange } from '../keys/may-change.ts';
import { reportDisconnected } from '../keys/targets.ts';
import type { CheckRunRequest } from '../state/effects.ts';
import type { ActionPorts } from '../keys/action-ports.ts';

/** Returns one request for each check, to run it on the clients of the targets. */
function runsOn(targets: readonly EventTarget[]): readonly CheckRunRequest[] {
  const byCheck = Map.groupBy(targets, ({ check }) => check);
  return Array.from(byCheck, ([check, some]) => ({
    check,
    subscribers: some.map(({ client }) => clientSubscription(client)),
  }));
}

/** Opens a dialog that asks whether to run checks now. Without a connection, it reconnects instead. */
function confirmRuns(store: ActionPorts, orders: readonly CheckRunRequest[]): void {
  if (!isConnected(store.feed)) return store.request({ kind: 'reconnect' });
  if (orders.length === 0) return store.say('there is no check to run');
  if (!mayChange(store, 'run')) return;
  if (
    reportDisconnected(
      store,
      orders.flatMap(({ subscribers = [] }) => subscribers),
    )
  )
    return;
  const what = countOf(orders.length, 'check');
  openConfirmation(store, {
    title: `Run ${what} now`,
    lines: [
      ...namesWithinLimit(orders.map(orderText)),
      'Runs now, in addition to the schedule. Its results count as usual.',
    ],
    button: `Run ${what}`,
    count: orders.length,
    effect: { kind: 'request-checks', orders },
  });
}

/** Returns the text of a request to run a check, such as `disk on client:web-01, client:web-02`. */
function orderText({ check, subscribers }: CheckRunRequest): string {
  if (subscribers === undefined) return safeLine(`${check} on all of its subscribers`);
  return safeLine(`${check} on ${namesWithinLimit(subscribers).join(', ')}`);
}

/** The actions on checks. */
export const CHECK_ACTIONS: readonly Action[] = [
  {
    name: 'run',
    keys: ['R'],
    in: ['events', 'detail', 'checks', 'inspect'],
    help: 'run the check now, in addition to its schedule; while disconnected: reconnect',
    hint: 'run now',
    run: {
      events: (store) => confirmRuns(store, runsOn(selectedTargets(store))),
      detail: handleTopLayer('detail', (store, { target }) => confirmRuns(store, runsOn([target]))),
      checks: (store) =>
        confirmRuns(
          store,
          selectedCheckRows(store).map(({ check }) => ({
            check: check.name,
            subscribers: check.subscribers ?? [],
          })),
        ),
      inspect: handleTopLayer('inspect', runInspected),
    },
  },
];

/** Returns the rows of the marked checks, or of the check under the cursor. */
export function selectedCheckRows(store: Pick<ListOfView, 'list' | 'rows'>): readonly CheckTableRow[] {
  return selectedRows(store) as readonly CheckTableRow[];
}

/**
 * Asks whether to run the checks of the selected rows. If no row is selected, asks whether to run the check of the
 * screen on all its subscribers.
 */
function runInspected(store: ActionPorts, layer: InspectLayer): void {
  const targets = inspectTargets(layer);
  if (targets.length > 0) return confirmRuns(store, runsOn(targets));
  const { kind, name } = layer.subject;
  if (kind === 'check') return confirmRuns(store, [{ check: name }]);
  store.say('there is no check under the cursor to run');
}
