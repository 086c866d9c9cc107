import { stepPast } from './past.ts';
import { VIEWS_ALL } from '../keys/context-groups.ts';
import type { Action } from '../keys/action.ts';
import { actionFor, type KeyPress } from '../state/keys.ts';
import { TALL_ROWS } from '../state/console-state.ts';
import { keyContext } from '../keys/key-context.ts';
import { isMovement } from '../keys/movement-target.ts';
import { forwardInHistory, toLastView } from '../state/view-history.ts';
import { VIEWS } from '../state/view-names.ts';
import type { Screen, MessageSink } from '../state/ports.ts';
import type { MergedSources } from '../model/live-data.ts';
import type { ListOfView } from '../list/list-of-view.ts';
import { goBack, openView, goTo } from '../screens/open-view.ts';

/**
 * Time that a digit waits for the next key. In a list `5j` goes five rows down, while `5` alone opens the fifth
 * view. The view opens if no movement or digit follows within this time, or at once with any other key.
 */
const DIGIT_WAIT_MS = 400;

/** Toggles the header. A short screen keeps its one line, which shows the state of the connection. */
function toggleHeader(store: Screen & MessageSink): void {
  const header = !store.state.header;
  store.update({ header });
  if (store.state.size.rows < TALL_ROWS) {
    const state = header ? 'on, but hidden' : 'off; it was already hidden';
    store.say(`header ${state}: the terminal needs at least ${String(TALL_ROWS)} rows`);
  }
}

/** Runs before each key and frame: opens the view of a digit that has waited long enough. */
export function openDueView(store: Screen & MessageSink & MergedSources & ListOfView, nowMs: number): void {
  const { digitAtMs } = store.state;
  if (digitAtMs !== undefined && nowMs - digitAtMs >= DIGIT_WAIT_MS) openWaiting(store);
}

/**
 * Runs before a key. If the key neither continues a count nor cancels it, the digit before it opens its view.
 */
export function settleDigit(store: Screen & MessageSink & MergedSources & ListOfView, key: KeyPress): 'taken' | 'open' {
  const { state } = store;
  if (state.digitAtMs === undefined) return 'open';
  const action = actionFor(keyContext(state), key);
  if (action === 'back') {
    store.update({ count: undefined, digitAtMs: undefined });
    return 'taken';
  }
  if (!isDigit(key) && !isMovement(action)) openWaiting(store);
  return 'open';
}

export function isDigit({ text }: KeyPress): boolean {
  return text !== undefined && /^\d$/.test(text);
}

function openWaiting(store: Screen & MessageSink & MergedSources & ListOfView): void {
  const { count } = store.state;
  store.update({ count: undefined, digitAtMs: undefined });
  if (count !== undefined) openNumber(store, count);
}

function openNumber(store: Screen & MessageSink & MergedSources & ListOfView, number: number): void {
  const view = VIEWS.find((candidate) => candidate.number === number);
  if (view !== undefined) openView(store, view.name);
}

/** Actions that open views. */
export const VIEW_ACTIONS: readonly Action[] = [
  {
    name: 'view',
    keys: ['1', '2', '3', '4', '5', '6', '7'],
    in: [...VIEWS_ALL],
    help: 'open view N; as a prefix, move by that many rows (5j, as in vim)',
    run: (store, { key }) => openNumber(store, Number(key.text)),
  },
  {
    name: 'header',
    keys: ['ctrl-e'],
    in: [...VIEWS_ALL],
    help: 'show or hide counters and tabs at the top (needs 30 rows)',
    run: toggleHeader,
  },
  {
    name: 'view-back',
    keys: ['['],
    in: [...VIEWS_ALL],
    help: 'go back to the previous view; while viewing the past (:at), to the previous change',
    run: (store) => {
      if (!stepPast(store, -1)) goBack(store);
    },
  },
  {
    name: 'view-forward',
    keys: [']'],
    in: [...VIEWS_ALL],
    help: 'go forward to the next view; while viewing the past, to the next change',
    run: (store) => {
      if (!stepPast(store, 1)) goTo(store, forwardInHistory(store.state));
    },
  },
  {
    name: 'view-last',
    keys: ['-'],
    in: [...VIEWS_ALL],
    help: 'switch between this view and the previously opened one',
    run: (store) => goTo(store, toLastView(store.state)),
  },
];
