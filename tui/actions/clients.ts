import type { ListOfView } from '../list/list-of-view.ts';
import { onLayer, type Action } from '../keys/action.ts';
import type { ClientTableRow } from '../screens/clients/table.ts';
import { selectedRows } from '../list/selected-rows.ts';
import { silencedId } from '../../shared/domain/silencing.ts';
import { clientSubscription } from '../../shared/domain/subscription.ts';
import { safeLine } from '../../shared/domain/terminal-text.ts';
import type { SilencedRow } from '../../shared/schemas/feed.ts';
import { countOf } from '../words/changes.ts';
import { askFirst, named } from '../form/confirm.ts';
import type { EventCounts } from '../model/event-counts.ts';
import { openSilenceEntries } from './silences.ts';
import type { Opened, Screen, MessageSink, Asks, Silencing } from '../state/ports.ts';
import type { LiveData } from '../model/live-data.ts';

/** Asks for confirmation to delete clients, and lists what is deleted with them. */
function askDeleteClients(store: Screen & MessageSink & Pick<LiveData, 'events'>, names: readonly string[]): void {
  if (names.length === 0) return store.say('there is no client to delete');
  const what = countOf(names.length, 'client');
  const lines = names.map((name) => {
    const events = openEvents(store.events.countsOf(name));
    return safeLine(`${name}: ${events === 0 ? 'no open event' : `resolves ${countOf(events, 'open event')}`}`);
  });
  askFirst(store, {
    title: `Delete ${what}`,
    lines: [
      ...named(lines),
      'Deletes each client with all its results and history. This cannot be undone.',
      'A client whose agent still runs reappears with its next keepalive.',
    ],
    button: `Delete ${what}`,
    focused: 'cancel',
    count: names.length,
    effect: { kind: 'delete-clients', names },
  });
}

/** Opens the silence dialog for all checks of the clients, whatever their current state. */
export function silenceClients(
  store: Screen & MessageSink & Asks & Opened & Pick<Silencing, 'silenceDraft'> & Pick<LiveData, 'silenced'>,
  names: readonly string[],
): void {
  if (names.length === 0) return store.say('there is no client to silence');
  const ids = names.map((name) => silencedId(clientSubscription(name), null));
  const present = ids.flatMap((id) => store.silenced.get(id) ?? []);
  if (present.length === ids.length) return openSilenceEntries(store, { kind: 'change', entries: present });
  const missing = names.filter((_, index) => !store.silenced.has(ids[index] ?? ''));
  openSilenceEntries(store, { kind: 'new', entries: missing.map((name) => entryOf(store, name)) });
  if (present.length > 0) store.say(`${countOf(present.length, 'client')} already silenced: unchanged`);
}

function entryOf(store: Opened, name: string): SilencedRow {
  const subscription = clientSubscription(name);
  return {
    id: silencedId(subscription, null),
    subscription,
    check: null,
    reason: null,
    creator: store.options.creator,
    begin: null,
    expire_on_resolve: false,
    timestamp: Math.floor(store.options.now() / 1000),
    expire_at: null,
  };
}

function openEvents({ critical, warning, unknown, ok, silenced }: EventCounts): number {
  return critical + warning + unknown + ok + silenced;
}

/** Actions on clients. */
export const CLIENT_ACTIONS: readonly Action[] = [
  {
    name: 'delete-client',
    keys: ['D'],
    in: ['clients', 'inspect'],
    help: 'delete the marked clients, or the one at the cursor, with their results and history',
    changes: true,
    run: {
      clients: (store) =>
        askDeleteClients(
          store,
          selectedClients(store).map(({ client }) => client.name),
        ),
      inspect: onLayer('inspect', (store, { subject }) => {
        if (subject.kind === 'client') return askDeleteClients(store, [subject.name]);
        store.say('open the client first, then press D to delete it');
      }),
    },
  },
];

/** Returns the marked clients, or the one under the cursor. */
export function selectedClients(store: Pick<ListOfView, 'list' | 'rows'>): readonly ClientTableRow[] {
  return selectedRows(store) as readonly ClientTableRow[];
}
