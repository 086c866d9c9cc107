import { FULL_EVENTS_MAX } from '../../shared/schemas/full-events.ts';
import { EVENT_COLUMN } from '../model/event-sort.ts';
import type { LiveData } from '../model/live-data.ts';
import type { ScreenView } from '../state/ports.ts';
import { listRows } from '../state/screen-layout.ts';
import type { ListOfView } from './list-of-view.ts';

/** Interval of feed frames in milliseconds while the console is paused or its terminal has no focus. */
const UNSEEN_PACE_MS = 1000;

/** The updates that the console requests from the feed: how often, and with the full rows of which events. */
interface RequestedPace {
  /** Minimum time between two feed frames in milliseconds; 0 means every frame without delay. */
  readonly ms: number;
  /**
   * Keys of the events whose full rows are requested. For all other events, the feed sends only the fields that
   * counters need. `undefined` requests the full rows of all events.
   */
  readonly full?: readonly string[] | undefined;
}

/**
 * Returns the updates that the console needs. While the terminal has no focus, the visible rows and those that are
 * about to become visible are sufficient.
 */
export function requestedPace(store: ScreenView & LiveData & ListOfView): RequestedPace {
  const { focused, paused } = store.state;
  if (paused !== undefined) return { ms: UNSEEN_PACE_MS };
  return focused
    ? { ms: 0 }
    : { ms: UNSEEN_PACE_MS, full: isEveryEventCounted(store) ? drawnEvents(store) : undefined };
}

/**
 * Returns true if the screen shows only counters, or the list of events without a filter and folds and in the default
 * order.
 */
function isEveryEventCounted({ state, whereColumn, list, sort, rows }: ScreenView & LiveData & ListOfView): boolean {
  return (
    state.view === 'events' &&
    whereColumn === undefined &&
    state.layers.length === 0 &&
    state.prompt === undefined &&
    list.filter.text === '' &&
    list.fold === undefined &&
    sort.column === EVENT_COLUMN &&
    !sort.reversed &&
    !rows.frozen &&
    listRows(state) < FULL_EVENTS_MAX / 2
  );
}

/**
 * Returns the keys of the visible events. It adds events at or above the last visible one of which the feed has sent
 * only the fields that counters need.
 */
function drawnEvents({ state, list, events }: ScreenView & Pick<LiveData, 'events'> & ListOfView): readonly string[] {
  const { top } = list.cursor;
  const drawn = events.order.slice(top, top + listRows(state));
  const keys = new Set(drawn.map(({ key }) => key));
  const last = drawn.length < listRows(state) ? LAST_RANK : (drawn.at(-1) ?? LAST_RANK);
  for (const key of events.briefsUpTo(last, FULL_EVENTS_MAX - keys.size)) keys.add(key);
  return [...keys];
}

const LAST_RANK = { rank: Infinity };
