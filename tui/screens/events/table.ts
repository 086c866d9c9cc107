import { EVENT_SEARCH, type SearchRow } from '../../../shared/domain/search.ts';
import { acknowledge, askDelete, askResolve, askUnsilence, openSilence } from '../../actions/events.ts';
import { askRun, runsOn } from '../../actions/run-now.ts';
import { askRepeatSilence } from '../../actions/silences.ts';
import { cursorNow, moveTo } from '../../list/list-moves.ts';
import type { ListRecord, RowOrder } from '../../model/list-rows.ts';
import { tableView } from '../../list/table-view.ts';
import { splitName } from '../../model/backend-names.ts';
import { eventClass, type EventRecord } from '../../model/event-record.ts';
import { isGone } from '../../model/merged-feed.ts';
import type { ListOfView } from '../../list/list-of-view.ts';
import type { Known } from '../../model/known.ts';
import type { Asks, Opened, Says, Screen } from '../../state/ports.ts';
import { eventUnderCursor } from '../../state/console-state.ts';
import { openLoadedLayer } from '../../state/layer-loads.ts';
import { openDetail } from '../detail/actions.ts';
import { targetOf, type Target } from '../../model/target.ts';
import { EVENT_COLUMNS, type EventLine } from './columns.ts';
import { eventPlace, silenceOf } from './place.ts';
import { EVENT_COLUMN, eventSort } from '../../model/event-sort.ts';

export const EVENTS = tableView<Target, EventLine, SearchRow>({
  name: 'events',
  nouns: ['event', 'events'],
  columns: EVENT_COLUMNS,
  sort: EVENT_COLUMN,
  // Its rows are records of events: nothing else is in its list.
  order: (sort) => eventSort(sort) as unknown as RowOrder<ListRecord>,
  newestBy: ['age', 'last'],
  search: EVENT_SEARCH,
  drawn: (store, entry, placed) => {
    const record = entry as EventRecord;
    const { context = '' } = splitName(record.row.client);
    return {
      row: {
        record,
        silence: silenceOf(store.silenced, record),
        isPlaced: placed.some(({ column }) => column.id === store.whereColumn),
      },
      isStale: store.backends !== undefined && isGone(store.backends.get(context)),
    };
  },
  isFaint: ({ record }) => record.row.silenced_by.length > 0,
  hasTonedGaps: true,
  place: (store, window) => eventPlace(store, window as readonly EventRecord[]),
  empty: ({ feed, options }) =>
    feed.stats?.clients === 0
      ? ['No events, and no client yet.', '', `Start one: mon-agent start --backend ${options.backend}`]
      : ['No events: everything that reports is OK.'],
  noMatch: 'No event matches the filter.',
  // Also those that are over: what is asked about them says so.
  meant: (keys) => keys.map(targetOf),
  actions: {
    open: (store) => openUnderCursor(store, false),
    silence: openSilence,
    acknowledge,
    'repeat-silence': askRepeatSilence,
    resolve: askResolve,
    unsilence: askUnsilence,
    run: (store, targets) => askRun(store, runsOn(targets)),
    delete: askDelete,
    json: (store) => openUnderCursor(store, true),
  },
  others: {
    why: (store) => {
      const target = eventUnderCursor(store.state);
      if (target !== undefined) openLoadedLayer(store, 'handling', target.key);
    },
    'next-critical': (store) => seekCritical(store, 1),
    'previous-critical': (store) => seekCritical(store, -1),
    pane: (store) => store.update({ pane: !store.state.pane }),
  },
});

function openUnderCursor(store: Screen & Asks & Known, raw: boolean): void {
  const target = eventUnderCursor(store.state);
  if (target !== undefined) openDetail(store, target, raw);
}

function seekCritical(store: Screen & Says & Opened & Known & ListOfView, step: 1 | -1): void {
  const { order } = store.events;
  for (let index = cursorNow(store).index + step; index >= 0 && index < order.length; index += step) {
    const record = order.at(index);
    if (record !== undefined && eventClass(record.row) === 'critical') return moveTo(store, index);
  }
  store.say(step === 1 ? 'no critical event below' : 'no critical event above');
}
