import { safeLine } from '../../shared/domain/terminal-text.ts';
import { countOf } from './changes.ts';
import { askFirst, named } from './confirm.ts';
import type { ConsoleStore } from './console-store.ts';
import type { EventCounts } from './event-counts.ts';

/** Asks whether to delete clients and says what goes with them. */
export function askDeleteClients(store: ConsoleStore, names: readonly string[]): void {
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
      'The record goes, and all results and their history. It cannot be undone.',
      'A client that still runs is back with its next keepalive.',
    ],
    button: `Delete ${what}`,
    focused: 'cancel',
    count: names.length,
    effect: { kind: 'delete-clients', names },
  });
}

export function openEvents({ critical, warning, unknown, ok, silenced }: EventCounts): number {
  return critical + warning + unknown + ok + silenced;
}
