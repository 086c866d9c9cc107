import { NO_SEARCH } from '../state/search-field.ts';
import type { CheckTableRow } from '../screens/checks/table.ts';
import type { ClientTableRow } from '../screens/clients/table.ts';
import type { SilenceEntry } from '../screens/silences/table.ts';
import type { DeadLetterSummary } from '../../shared/schemas/dead-letter.ts';
import { rowUnderCursor } from '../list/selected-rows.ts';
import type { ActionPorts } from '../keys/action-ports.ts';
import { openLoadedLayer } from '../state/layer-loads.ts';
import { eventUnderCursor } from '../state/console-state.ts';
import { putLayer } from '../state/layer-stack.ts';
import { openDetail, openFromDetail, reloadDetail } from '../screens/detail/actions.ts';
import { openRow, explainRow } from '../screens/inspect/actions.ts';
import { handleTopLayer, type Action } from '../keys/action.ts';
import { foldUnderCursor, toggleFold } from './folds.ts';
import { openOnCallSchedule } from './on-call.ts';
import { openMember } from './cluster.ts';
import { openGroup, openInhibited } from './groups-and-inhibitions.ts';
import type { GroupRow } from '../../shared/schemas/grouping.ts';
import type { InhibitionRow } from '../../shared/schemas/inhibition.ts';
import { openDeadLetter, selectedDeadLetters, explainDeadLetter } from './dead-letters.ts';
import { openInspect } from '../screens/inspect/open.ts';
import type { AggregateEntry } from '../model/aggregate-book.ts';
import { LIST_CONTEXTS } from '../keys/context-groups.ts';

/** The actions that open the row under the cursor, or change how it is shown. */
export const OPENING_ACTIONS: readonly Action[] = [
  {
    name: 'open',
    keys: ['enter'],
    in: [...LIST_CONTEXTS, 'inspect', 'detail'],
    help: 'open the row under the cursor or the focused panel, or unfold the row',
    hint: 'detail',
    run: {
      events: (store) => {
        const fold = foldUnderCursor(store);
        if (fold === undefined) openUnderCursor(store, false);
        else toggleFold(store, fold);
      },
      silences: (store) => {
        const row = rowUnderCursor(store) as SilenceEntry | undefined;
        if (row !== undefined) openLoadedLayer(store, 'silence-entry', row.entry.id);
      },
      aggregates: (store) => {
        const row = rowUnderCursor(store) as AggregateEntry | undefined;
        if (row !== undefined) openInspect(store, { kind: 'aggregate', name: row.name });
      },
      clients: (store) => {
        const row = rowUnderCursor(store) as ClientTableRow | undefined;
        if (row !== undefined) openInspect(store, { kind: 'client', name: row.client.name });
      },
      checks: (store) => {
        const row = rowUnderCursor(store) as CheckTableRow | undefined;
        if (row !== undefined) openInspect(store, { kind: 'check', name: row.check.name });
      },
      'dead-letters': (store) => openDeadLetter(store, rowUnderCursor(store) as DeadLetterSummary | undefined),
      groups: (store) => openGroup(store, rowUnderCursor(store) as GroupRow | undefined),
      inhibitions: (store) => openInhibited(store, rowUnderCursor(store) as InhibitionRow | undefined),
      'on-call': openOnCallSchedule,
      cluster: openMember,
      inspect: handleTopLayer('inspect', openRow),
      detail: handleTopLayer('detail', openFromDetail),
    },
  },
  {
    name: 'reload',
    keys: ['f5'],
    in: ['detail'],
    help: 'load the current state of this event',
    run: handleTopLayer('detail', reloadDetail),
  },
  {
    name: 'json',
    keys: ['y'],
    in: ['events', 'detail', 'inspect'],
    help: 'show the raw JSON',
    hint: 'json',
    run: {
      events: (store) => openUnderCursor(store, true),
      detail: handleTopLayer('detail', (store, layer) => putLayer(store, { ...layer, raw: !layer.raw, top: 0 })),
      // The search is cleared: words to find in a text cannot be used as a filter of rows, and vice versa.
      inspect: handleTopLayer('inspect', (store, layer) =>
        putLayer(store, { ...layer, raw: !layer.raw, top: 0, search: NO_SEARCH }),
      ),
    },
  },
  {
    name: 'wrap',
    keys: ['w'],
    in: ['detail'],
    help: 'wrap long lines, or cut them',
    hint: 'wrap',
    run: handleTopLayer('detail', (store, layer) => putLayer(store, { ...layer, wrap: !layer.wrap })),
  },
  {
    name: 'explain',
    keys: ['W'],
    in: ['events', 'detail', 'inspect', 'dead-letters', 'dead-letter'],
    help: 'show why each handler was or was not notified of the event',
    run: {
      events: (store) => {
        const target = eventUnderCursor(store.state);
        if (target !== undefined) openLoadedLayer(store, 'handling', target.key);
      },
      detail: handleTopLayer('detail', (store, { target }) => openLoadedLayer(store, 'handling', target.key)),
      inspect: handleTopLayer('inspect', explainRow),
      'dead-letters': (store) => explainDeadLetter(store, rowUnderCursor(store) as DeadLetterSummary | undefined),
      'dead-letter': (store) => explainDeadLetter(store, selectedDeadLetters(store)[0]),
    },
  },
];

function openUnderCursor(store: ActionPorts, raw: boolean): void {
  const target = eventUnderCursor(store.state);
  if (target !== undefined) openDetail(store, target, raw);
}
