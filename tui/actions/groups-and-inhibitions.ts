import { eventKey } from '../../shared/domain/event-key.ts';
import { searchValue } from '../../shared/domain/search-syntax.ts';
import type { GroupRow } from '../../shared/schemas/grouping.ts';
import type { InhibitionRow } from '../../shared/schemas/inhibition.ts';
import type { ActionPorts } from '../keys/action-ports.ts';
import { handleTopLayer, type Action } from '../keys/action.ts';
import { rowUnderCursor } from '../list/selected-rows.ts';
import { addContextToName, nameAtSameBackend } from '../model/backend-names.ts';
import { targetOf } from '../model/target.ts';
import { NAMESPACE_COLUMN } from '../model/where-column.ts';
import { openDetail } from '../screens/detail/actions.ts';
import { openFiltered } from '../screens/open-filtered.ts';

/** Opens the list of the events in a notification group. */
export function openGroup(store: ActionPorts, group: GroupRow | undefined): void {
  if (group === undefined) return;
  if (group.id === undefined)
    return store.say('this version of the backend does not report which events are in a group');
  openFiltered(store, 'events', `group=${group.id}`);
}

/** Opens the list of the events that an inhibition rule inhibits. */
export function openInhibited(store: ActionPorts, rule: InhibitionRow | undefined): void {
  if (rule !== undefined) openFiltered(store, 'events', `inhibited_by=${searchValue(rule.name)}`);
}

/**
 * Opens the screen of an event that inhibits other events.
 *
 * @param nameOf callback that returns the name of the event's client, as the list of events shows it
 */
function openInhibitor<By extends { readonly client: string; readonly check: string }>(
  store: ActionPorts,
  by: By | undefined,
  nameOf: (by: By) => string,
): void {
  if (by === undefined) return store.say('no inhibiting event to open');
  const target = targetOf(eventKey(nameOf(by), by.check));
  if (store.events.get(target.key) === undefined) return store.say('the inhibiting event is not in the list of events');
  openDetail(store, target, false);
}

/** The actions on inhibition rules, in the list of rules and on the screen of an inhibited event. */
export const NOISE_ACTIONS: readonly Action[] = [
  {
    name: 'inhibitor',
    keys: ['I'],
    in: ['inhibitions', 'detail'],
    help: 'open the inhibiting event',
    hint: 'inhibitor',
    run: {
      inhibitions: (store) => {
        const rule = rowUnderCursor(store) as InhibitionRow | undefined;
        openInhibitor(store, rule?.inhibitors[0], ({ client, namespace }) =>
          store.whereColumn === NAMESPACE_COLUMN ? addContextToName(client, namespace) : client,
        );
      },
      detail: handleTopLayer('detail', (store, { target }) =>
        openInhibitor(store, store.events.get(target.key)?.row.inhibited_by, ({ client }) =>
          nameAtSameBackend(target.client, client),
        ),
      ),
    },
  },
];
