import type { ViewName } from './view-names.ts';

/** The history of visited views, as in a browser. Both lists have the nearest view last. */
export interface ViewHistory {
  readonly past: readonly ViewName[];
  readonly future: readonly ViewName[];
}

export interface ViewPosition {
  readonly view: ViewName;
  readonly history: ViewHistory;
}

/** Maximum length of the history. */
const HISTORY_MAX = 50;

export const NO_HISTORY: ViewHistory = { past: [], future: [] };

/** Returns the history after opening a view; the views ahead are dropped. */
export function toView({ view, history }: ViewPosition, nextView: ViewName): ViewPosition {
  if (nextView === view) return { view, history };
  return { view: nextView, history: { past: [...history.past, view].slice(-HISTORY_MAX), future: [] } };
}

/** Returns the previous view; the same place if there is none. */
export function backInHistory(position: ViewPosition): ViewPosition {
  const { past, future } = position.history;
  const view = past.at(-1);
  if (view === undefined) return position;
  return { view, history: { past: past.slice(0, -1), future: [...future, position.view] } };
}

/** Returns the view that was left by going back; the same place if there is none. */
export function forwardInHistory(position: ViewPosition): ViewPosition {
  const { past, future } = position.history;
  const view = future.at(-1);
  if (view === undefined) return position;
  return { view, history: { past: [...past, position.view], future: future.slice(0, -1) } };
}

/** Returns the view that was shown last. The same key then goes back again. */
export function toLastView(position: ViewPosition): ViewPosition {
  const last = position.history.past.at(-1);
  return last === undefined ? position : toView(position, last);
}
