import { FULL_EVENTS_MAX } from '../../shared/schemas/full-events.ts';
import { EVENT_COLUMN } from '../model/event-sort.ts';
import type { Known, Places } from '../model/known.ts';
import type { Shown } from '../state/ports.ts';
import { listRows } from '../state/screen-layout.ts';
import type { ListOfView } from './list-of-view.ts';

/** While nothing that arrives is shown, it is enough to hear of it as often as the counters are drawn. */
const UNSEEN_PACE_MS = 1000;

/** How much of what changes is wanted. */
interface WantedPace {
  /** Milliseconds between two frames; 0: as often as there are any. */
  readonly ms: number;
  /** Keys of the events that are wanted whole, of the others only what is counted; undefined: all. */
  readonly whole?: readonly string[] | undefined;
}

/** Without the focus it is enough to know what is drawn, and what comes to be. */
export function wantedPace(store: Shown & Pick<Known, 'events'> & Places & ListOfView): WantedPace {
  const { focused, paused } = store.state;
  if (paused !== undefined) return { ms: UNSEEN_PACE_MS };
  return focused
    ? { ms: 0 }
    : { ms: UNSEEN_PACE_MS, whole: isEveryEventCounted(store) ? drawnEvents(store) : undefined };
}

/** Whether nothing is drawn but events in their usual order, all of them, and counters. */
function isEveryEventCounted({ state, whereColumn, list, sort, rows }: Shown & Places & ListOfView): boolean {
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

/** The events of the window, and those that come into it as far as that is known. */
function drawnEvents({ state, list, events }: Shown & Pick<Known, 'events'> & ListOfView): readonly string[] {
  const { top } = list.cursor;
  const drawn = events.order.slice(top, top + listRows(state));
  const keys = new Set(drawn.map(({ key }) => key));
  const last = drawn.length < listRows(state) ? BELOW_ALL : (drawn.at(-1) ?? BELOW_ALL);
  for (const key of events.briefsUpTo(last, FULL_EVENTS_MAX - keys.size)) keys.add(key);
  return [...keys];
}

const BELOW_ALL = { rank: Infinity };
