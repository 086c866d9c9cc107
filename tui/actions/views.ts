import { VIEWS_ALL } from './places.ts';
import type { Action } from './action.ts';
import { actionFor, type KeyPress } from '../state/keys.ts';
import { TALL_ROWS } from '../state/console-state.ts';
import { keyContext } from './key-context.ts';
import { isMovement } from './moved-to.ts';
import { backInHistory, forwardInHistory, toLastView, toView, type ViewPlace } from '../state/view-history.ts';
import { tableOf } from '../screens/tables.ts';
import { isPage, VIEWS, viewTitle, type ViewName } from '../state/view-names.ts';
import type { Screen, Says } from '../state/ports.ts';
import type { Places } from '../model/known.ts';
import type { ListOfView } from '../list/list-of-view.ts';
import type { WhereColumn } from '../model/where-column.ts';

/**
 * How long a digit waits for what it means. In a list `5j` goes five rows down while `5` alone opens the fifth view, so
 * the view opens when no movement and no other digit has come within this time, or at once when another key comes.
 */
export const DIGIT_WAIT_MS = 400;

/** A short screen has one line, which says how the connection is: that stays. */
function toggleHeader(store: Screen & Says): void {
  const header = !store.state.header;
  store.update({ header });
  if (store.state.size.rows < TALL_ROWS)
    store.say(`header ${header ? 'on' : 'off'}: seen from ${String(TALL_ROWS)} rows on`);
}

export function goBack(store: Screen & Says & Places & ListOfView): void {
  goTo(store, backInHistory(store.state));
}

/** Opens a view; what is set in it (cursor, filter, order, marks) is as it was left. */
export function openView(store: Screen & Says & Places & ListOfView, view: ViewName): void {
  if (!isThere(view)) return store.say(`${viewTitle(view)} is not part of this version`);
  goTo(store, toView(store.state, view));
}

/** Whether a view can be opened. */
export function isThere(view: ViewName): boolean {
  return tableOf(view) !== undefined || isPage(view);
}

/** Before every key, and before every frame: a digit that waited for long enough opens its view. */
export function openDueView(store: Screen & Says & Places & ListOfView, nowMs: number): void {
  const { digitAtMs } = store.state;
  if (digitAtMs !== undefined && nowMs - digitAtMs >= DIGIT_WAIT_MS) openWaiting(store);
}

/** Before a key: unless it goes on with a count, or takes it back, the digit before it meant a view. */
export function settleDigit(store: Screen & Says & Places & ListOfView, key: KeyPress): 'taken' | 'open' {
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

function openWaiting(store: Screen & Says & Places & ListOfView): void {
  const { count } = store.state;
  store.update({ count: undefined, digitAtMs: undefined });
  if (count !== undefined) openNumber(store, count);
}

function openNumber(store: Screen & Says & Places & ListOfView, number: number): void {
  const view = VIEWS.find((candidate) => candidate.number === number);
  if (view !== undefined) openView(store, view.name);
}

/** The views of what the feed tells, which tells of all namespaces; a list of several backends is one of events. */
const OF_NAMESPACES: ReadonlySet<ViewName> = new Set(['events', 'silences', 'clients']);

function isOfSeveral(view: ViewName, where: WhereColumn): boolean {
  if (where === undefined || view === 'events') return true;
  return where === 'namespace' && isOfNamespaces(view);
}

/** Whether a view can show all namespaces as one list. */
export function isOfNamespaces(view: ViewName): boolean {
  return OF_NAMESPACES.has(view);
}

function goTo(store: Screen & Says & Places & ListOfView, { view, history }: ViewPlace): void {
  if (view === store.state.view) return;
  if (!isOfSeveral(view, store.whereColumn)) {
    store.update({ count: undefined, digitAtMs: undefined });
    const [place, command] = store.whereColumn === 'backend' ? ['backend', 'ctx'] : ['namespace', 'ns'];
    return store.say(`${viewTitle(view)}: shown of one ${place} at a time, :${command} NAME chooses it`);
  }
  store.rows.thaw();
  store.update({ view, history, count: undefined, digitAtMs: undefined, orderPausedUntilMs: 0 });
  // The next key may come before the next frame, and means the cursor of this view.
  store.settleList();
}

/** What leads from view to view. */
export const VIEW_ACTIONS: readonly Action[] = [
  {
    name: 'view',
    keys: ['1', '2', '3', '4', '5', '6', '7'],
    in: [...VIEWS_ALL],
    help: 'open the view of that number, unless a movement follows: then it is a count',
    run: (store, { key }) => openNumber(store, Number(key.text)),
  },
  {
    name: 'header',
    keys: ['ctrl-e'],
    in: [...VIEWS_ALL],
    help: 'counters and tabs at the top, on or off (from 30 rows on)',
    run: toggleHeader,
  },
  { name: 'view-back', keys: ['['], in: [...VIEWS_ALL], help: 'back to the view before', run: goBack },
  {
    name: 'view-forward',
    keys: [']'],
    in: [...VIEWS_ALL],
    help: 'forward again',
    run: (store) => goTo(store, forwardInHistory(store.state)),
  },
  {
    name: 'view-last',
    keys: ['-'],
    in: [...VIEWS_ALL],
    help: 'between this view and the last one',
    run: (store) => goTo(store, toLastView(store.state)),
  },
];
