import type { ViewName } from './view-names.ts';

/** The history of visited views, as in a browser. In both lists the last element is nearest to the shown view. */
export interface ViewHistory {
  readonly past: readonly ViewName[];
  readonly future: readonly ViewName[];
}

export interface ViewPosition {
  readonly view: ViewName;
  readonly history: ViewHistory;
}

/** Maximum number of earlier views in the history. */
const HISTORY_MAX = 50;

export const NO_HISTORY: ViewHistory = { past: [], future: [] };

/** Returns the position after a view was opened. Views that the user could go forward to are dropped. */
export function toView({ view, history }: ViewPosition, nextView: ViewName): ViewPosition {
  if (nextView === view) return { view, history };
  return { view: nextView, history: { past: [...history.past, view].slice(-HISTORY_MAX), future: [] } };
}

/** Returns the position after one step back; the same position if there is no earlier view. */
export function backInHistory(position: ViewPosition): ViewPosition {
  const { past, future } = position.history;
  const view = past.at(-1);
  if (view === undefined) return position;
  return { view, history: { past: past.slice(0, -1), future: [...future, position.view] } };
}

/** Returns the position after one step forward; the same position if the user has not gone back. */
export function forwardInHistory(position: ViewPosition): ViewPosition {
  const { past, future } = position.history;
  const view = future.at(-1);
  if (view === undefined) return position;
  return { view, history: { past: [...past, position.view], future: future.slice(0, -1) } };
}

/** Returns the position after a switch to the previously shown view. Another switch returns to the current view. */
export function toLastView(position: ViewPosition): ViewPosition {
  const last = position.history.past.at(-1);
  return last === undefined ? position : toView(position, last);
}
