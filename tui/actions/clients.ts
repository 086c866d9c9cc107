import type { ListOfView } from '../list/list-of-view.ts';
import { handleTopLayer, type Action } from '../keys/action.ts';
import type { ClientTableRow } from '../screens/clients/table.ts';
import { selectedRows } from '../list/selected-rows.ts';
import { safeLine } from '../../shared/domain/terminal-text.ts';
import { countOf } from '../words/changes.ts';
import { openConfirmation, namesWithinLimit } from '../form/confirm.ts';
import type { EventCounts } from '../model/event-counts.ts';
import type { Screen } from '../state/ports.ts';
import type { LiveData } from '../model/live-data.ts';

/** Opens a dialog that asks whether to delete clients, and lists what is deleted with them. */
function confirmDeleteClients(store: Screen & Pick<LiveData, 'events'>, names: readonly string[]): void {
  if (names.length === 0) return store.say('there is no client to delete');
  const what = countOf(names.length, 'client');
  const lines = names.map((name) => {
    const events = openEvents(store.events.countsOf(name));
    return safeLine(`${name}: ${events === 0 ? 'no open event' : `resolves ${countOf(events, 'open event')}`}`);
  });
  openConfirmation(store, {
    title: `Delete ${what}`,
    lines: [
      ...namesWithinLimit(lines),
      'Deletes each client with all its results and history. This cannot be undone.',
      'A client whose agent still runs reappears with its next keepalive.',
    ],
    button: `Delete ${what}`,
    focused: 'cancel',
    count: names.length,
    effect: { kind: 'delete-clients', names },
  });
}

function openEvents({ critical, warning, unknown, ok, silenced }: EventCounts): number {
  return critical + warning + unknown + ok + silenced;
}

/** The actions on clients. */
export const CLIENT_ACTIONS: readonly Action[] = [
  {
    name: 'delete-client',
    keys: ['D'],
    in: ['clients', 'inspect'],
    help: 'delete the marked clients, or the one at the cursor, with their results and history',
    changes: true,
    run: {
      clients: (store) =>
        confirmDeleteClients(
          store,
          selectedClients(store).map(({ client }) => client.name),
        ),
      inspect: handleTopLayer('inspect', (store, { subject }) => {
        if (subject.kind === 'client') return confirmDeleteClients(store, [subject.name]);
        store.say('open the client first, then press D to delete it');
      }),
    },
  },
];

/** Returns the rows of the marked clients, or of the client under the cursor. */
export function selectedClients(store: Pick<ListOfView, 'list' | 'rows'>): readonly ClientTableRow[] {
  return selectedRows(store) as readonly ClientTableRow[];
}
