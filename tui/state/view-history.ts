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

/**
 * Returns the position in the history after a view was opened. Views to which the user could go forward are dropped.
 */
export function toView({ view, history }: ViewPosition, nextView: ViewName): ViewPosition {
  if (nextView === view) return { view, history };
  return { view: nextView, history: { past: [...history.past, view].slice(-HISTORY_MAX), future: [] } };
}

/** Returns the position in the history after one step back; the same position if there is no earlier view. */
export function backInHistory(position: ViewPosition): ViewPosition {
  const { past, future } = position.history;
  const view = past.at(-1);
  if (view === undefined) return position;
  return { view, history: { past: past.slice(0, -1), future: [...future, position.view] } };
}

/** Returns the position in the history after one step forward; the same position if the user has not gone back. */
export function forwardInHistory(position: ViewPosition): ViewPosition {
  const { past, future } = position.history;
  const view = future.at(-1);
  if (view === undefined) return position;
  return { view, history: { past: [...past, position.view], future: future.slice(0, -1) } };
}

/**
 * Returns the position in the history after a switch to the view that was shown before. A second switch returns to the
 * current view.
 */
export function toLastView(position: ViewPosition): ViewPosition {
  const last = position.history.past.at(-1);
  return last === undefined ? position : toView(position, last);
}
