import { stepMinutes, stepPast } from './past.ts';
import { applyView } from './saved-views.ts';
import { keyOf } from '../state/keys.ts';
import { QUICK_KEYS, quickViews } from '../state/saved-view.ts';
import { TEXT_CONTEXTS, ALL_VIEWS } from '../keys/context-groups.ts';
import type { Action } from '../keys/action.ts';
import { TALL_ROWS } from '../state/console-state.ts';
import { forwardInHistory, toLastView } from '../state/view-history.ts';
import { VIEWS } from '../state/view-names.ts';
import type { Screen } from '../state/ports.ts';
import type { LiveData } from '../model/live-data.ts';
import type { ListOfView } from '../list/list-of-view.ts';
import { keepFilter } from '../list/search-prompt.ts';
import { savedTabs } from '../screens/chrome-props.ts';
import { goBack, openView, openPosition } from '../screens/open-view.ts';

/**
 * Shows or hides the counters and tabs of the header. A short screen keeps the line that shows the state of the
 * connection.
 */
function toggleHeader(store: Screen): void {
  const header = !store.state.header;
  store.update({ header });
  if (store.state.size.rows < TALL_ROWS) {
    const state = header ? 'on, but hidden' : 'off; it was already hidden';
    store.say(`header ${state}: the terminal needs at least ${String(TALL_ROWS)} rows`);
  }
}

/**
 * Opens the view with this number, or the saved view with this key. If a saved view is shown, the number of its view
 * shows the whole list.
 */
function openNumber(store: Screen & LiveData & ListOfView, key: string): void {
  const view = VIEWS.find((candidate) => String(candidate.number) === key);
  if (view !== undefined) {
    store.update({ layers: [] });
    const isSavedView = savedTabs(store).some(({ isShown }) => isShown);
    if (view.name !== store.state.view || !isSavedView) return openView(store, view.name);
    // The key of a view leaves a saved view for the whole list.
    keepFilter(store, '');
    return store.settleList();
  }
  const quick = quickViews(store.state.savedViews).find((candidate) => candidate.key === key);
  if (quick !== undefined) return applyView(store, quick.saved);
  store.say(`no saved view has the key ${key}: ${keyOf('save-view')} saves this view`);
}

/** The actions that open views. */
export const VIEW_ACTIONS: readonly Action[] = [
  {
    name: 'view',
    keys: ['1', '2', '3', '4', '5', '6', '7', ...QUICK_KEYS],
    in: [...ALL_VIEWS, ...TEXT_CONTEXTS, 'silence-entry', 'plan-page', 'log'],
    help: 'open view N; 8, 9 and 0 open the first three saved views',
    run: (store, { key }) => openNumber(store, key.text ?? ''),
  },
  {
    name: 'header',
    keys: ['ctrl-e'],
    in: [...ALL_VIEWS],
    help: 'show or hide counters and tabs at the top (needs 30 rows)',
    run: toggleHeader,
  },
  {
    name: 'view-back',
    keys: ['['],
    in: [...ALL_VIEWS],
    help: 'go back to the previous view; while viewing the past (:at), to the previous change',
    run: (store) => {
      if (!stepPast(store, -1)) goBack(store);
    },
  },
  {
    name: 'view-forward',
    keys: [']'],
    in: [...ALL_VIEWS],
    help: 'go forward to the next view; while viewing the past, to the next change',
    run: (store) => {
      if (!stepPast(store, 1)) openPosition(store, forwardInHistory(store.state));
    },
  },
  {
    name: 'view-last',
    keys: ['-'],
    in: [...ALL_VIEWS],
    help: 'switch between this view and the previously opened one',
    run: (store) => openPosition(store, toLastView(store.state)),
  },
  {
    name: 'minute-back',
    keys: ['{'],
    in: [...ALL_VIEWS],
    help: 'show the lists as they were a minute earlier',
    run: (store) => stepMinutes(store, -1),
  },
  {
    name: 'minute-forward',
    keys: ['}'],
    in: [...ALL_VIEWS],
    help: 'while viewing the past, show the lists a minute later',
    run: (store) => stepMinutes(store, 1),
  },
];
