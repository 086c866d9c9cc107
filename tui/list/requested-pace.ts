import { FULL_EVENTS_MAX } from '../../shared/schemas/full-events.ts';
import { EVENT_COLUMN } from '../model/event-sort.ts';
import type { LiveData, MergedSources } from '../model/live-data.ts';
import type { HasScreenState } from '../state/ports.ts';
import { listRows } from '../state/screen-layout.ts';
import type { ListOfView } from './list-of-view.ts';

/** Interval of feed frames in milliseconds while the console is paused or its terminal has no focus. */
const UNSEEN_PACE_MS = 1000;

/** The updates that the console requests from the feed. */
interface RequestedPace {
  /** Minimum time between two feed frames in milliseconds; 0 means every frame without delay. */
  readonly ms: number;
  /**
   * Keys of the events whose full rows are requested. Of all other events, the feed only sends the fields that are
   * counted. `undefined` requests the full rows of all events.
   */
  readonly full?: readonly string[] | undefined;
}

/**
 * Returns the updates that the console needs. While the terminal has no focus, the visible rows and those that are
 * about to become visible are sufficient.
 */
export function requestedPace(
  store: HasScreenState & Pick<LiveData, 'events'> & MergedSources & ListOfView,
): RequestedPace {
  const { focused, paused } = store.state;
  if (paused !== undefined) return { ms: UNSEEN_PACE_MS };
  return focused
    ? { ms: 0 }
    : { ms: UNSEEN_PACE_MS, full: isEveryEventCounted(store) ? drawnEvents(store) : undefined };
}

/** Returns true if the screen shows only counters and the events without a filter in their default order. */
function isEveryEventCounted({
  state,
  whereColumn,
  list,
  sort,
  rows,
}: HasScreenState & MergedSources & ListOfView): boolean {
  return (
    state.view === 'events' &&
    whereColumn === undefined &&
    state.layers.length === 0 &&
    state.prompt === undefined &&
    list.filter.text === '' &&
    sort.column === EVENT_COLUMN &&
    !sort.reversed &&
    !rows.frozen &&
    listRows(state) < FULL_EVENTS_MAX / 2
  );
}

/**
 * Returns the keys of the visible events, and of events that are known only in brief but belong above the last visible
 * one.
 */
function drawnEvents({
  state,
  list,
  events,
}: HasScreenState & Pick<LiveData, 'events'> & ListOfView): readonly string[] {
  const { top } = list.cursor;
  const drawn = events.order.slice(top, top + listRows(state));
  const keys = new Set(drawn.map(({ key }) => key));
  const last = drawn.length < listRows(state) ? BELOW_ALL : (drawn.at(-1) ?? BELOW_ALL);
  for (const key of events.briefsUpTo(last, FULL_EVENTS_MAX - keys.size)) keys.add(key);
  return [...keys];
}

const BELOW_ALL = { rank: Infinity };
