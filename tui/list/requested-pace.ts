import { FULL_EVENTS_MAX } from '../../shared/schemas/full-events.ts';
import { EVENT_COLUMN } from '../model/event-sort.ts';
import type { LiveData, MergedSources } from '../model/live-data.ts';
import type { Shown } from '../state/ports.ts';
import { listRows } from '../state/screen-layout.ts';
import type { ListOfView } from './list-of-view.ts';

/** Update interval while only counters change on the screen. */
const UNSEEN_PACE_MS = 1000;

/** The required amount of updates. */
interface RequestedPace {
  /** Milliseconds between two frames; 0 for as many as there are. */
  readonly ms: number;
  /**
   * Keys of the events that need full rows; of the others only the counted fields are needed. `undefined` means
   * all.
   */
  readonly full?: readonly string[] | undefined;
}

/**
 * Returns the required updates. Without the focus, the visible rows and those that become visible are
 * sufficient.
 */
export function requestedPace(store: Shown & Pick<LiveData, 'events'> & MergedSources & ListOfView): RequestedPace {
  const { focused, paused } = store.state;
  if (paused !== undefined) return { ms: UNSEEN_PACE_MS };
  return focused
    ? { ms: 0 }
    : { ms: UNSEEN_PACE_MS, full: isEveryEventCounted(store) ? drawnEvents(store) : undefined };
}

/** Returns true if the screen shows only counters and all events in their default order. */
function isEveryEventCounted({ state, whereColumn, list, sort, rows }: Shown & MergedSources & ListOfView): boolean {
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

/** Returns the visible events, and those that move into the window as far as that is known. */
function drawnEvents({ state, list, events }: Shown & Pick<LiveData, 'events'> & ListOfView): readonly string[] {
  const { top } = list.cursor;
  const drawn = events.order.slice(top, top + listRows(state));
  const keys = new Set(drawn.map(({ key }) => key));
  const last = drawn.length < listRows(state) ? BELOW_ALL : (drawn.at(-1) ?? BELOW_ALL);
  for (const key of events.briefsUpTo(last, FULL_EVENTS_MAX - keys.size)) keys.add(key);
  return [...keys];
}

const BELOW_ALL = { rank: Infinity };
