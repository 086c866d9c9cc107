import type { KeyAction, KeyPress } from '../keys.ts';
import { openDetail } from './detail-keys.ts';
import { askResolve, askUnsilence, openSilence } from './event-actions.ts';
import type { EventOrder } from './event-registry.ts';
import { eventClass } from './event-record.ts';
import { ORDER_PAUSE_MS, targetOf, type ConsoleStore } from './console-store.ts';
import { applyFilter, openPrompt } from './filter-prompt.ts';
import { moveCursor, settleCursor, type ListCursor } from './list-cursor.ts';
import { eventsLayout } from './screen-layout.ts';
import { movedTo } from './scroll-keys.ts';
import type { Target } from './silence-form.ts';
import { pressFeedKey } from './feed-keys.ts';

/** Nobody means more rows than this; it also bounds what a stuck key can do. */
const COUNT_MAX = 99_999;

export function pressList(store: ConsoleStore, action: KeyAction | undefined, key: KeyPress): void {
  const { count } = store.state;
  if (action === undefined && key.text !== undefined && /^\d$/.test(key.text) && (count ?? Number(key.text)) > 0) {
    return store.update({ count: Math.min(COUNT_MAX, (count ?? 0) * 10 + Number(key.text)) });
  }
  store.update({ count: undefined });
  // Keys may come faster than a filter is evaluated, and they mean the list that it makes.
  store.events.finishFilter(store.options.now());
  const { order } = store.events;
  const { list: rows } = eventsLayout(store.state);
  const to = movedTo(action, cursorNow(store).index, { rows, last: order.length - 1, count });
  if (to !== undefined) return moveTo(store, to);
  if (action !== undefined) act(store, action, order);
}

/** The cursor in the order as it is now, which may have moved on since the last frame. For movements only. */
function cursorNow(store: ConsoleStore): ListCursor {
  return settleCursor(store.state.cursor, store.events.order, eventsLayout(store.state).list);
}

function act(store: ConsoleStore, action: KeyAction, order: EventOrder): void {
  switch (action) {
    case 'next-critical':
      return seekCritical(store, order, 1);
    case 'previous-critical':
      return seekCritical(store, order, -1);
    case 'mark':
      return markUnderCursor(store);
    case 'range':
      return markRange(store, order);
    case 'mark-all':
      return store.update({ marks: new Set(order.slice(0, order.length).map((record) => record.key)) });
    case 'clear-marks':
      return store.update({ marks: new Set(), lastMark: undefined });
    case 'filter':
      return openPrompt(store);
    case 'pane':
      return store.update({ pane: !store.state.pane });
    case 'open':
    case 'json': {
      const target = store.underCursor();
      return target === undefined ? undefined : openDetail(store, target, action === 'json');
    }
    case 'silence':
      return openSilence(store, actedOn(store));
    case 'resolve':
      return askResolve(store, actedOn(store));
    case 'unsilence':
      return askUnsilence(store, store.underCursor());
    case 'back':
      return back(store);
    case 'quit':
      return store.request({ kind: 'quit' });
    default:
      return pressFeedKey(store, action);
  }
}

/** The marked events, or the one that was drawn under the cursor when the key was pressed. */
function actedOn(store: ConsoleStore): readonly Target[] {
  const { marks } = store.state;
  if (marks.size > 0) return [...marks].map(targetOf);
  const target = store.underCursor();
  return target === undefined ? [] : [target];
}

function moveTo(store: ConsoleStore, index: number): void {
  // The cursor moves in the order that is on the screen, and that order stays for a moment.
  if (!store.events.frozen) store.events.freeze();
  const { order } = store.events;
  store.update({
    cursor: moveCursor(cursorNow(store), index, order, eventsLayout(store.state).list),
    orderPausedUntilMs: store.options.now() + ORDER_PAUSE_MS,
  });
}

function seekCritical(store: ConsoleStore, order: EventOrder, step: 1 | -1): void {
  for (let index = cursorNow(store).index + step; index >= 0 && index < order.length; index += step) {
    const record = order.at(index);
    if (record !== undefined && eventClass(record.row) === 'critical') return moveTo(store, index);
  }
  store.say(step === 1 ? 'no critical event below' : 'no critical event above');
}

function markUnderCursor(store: ConsoleStore): void {
  const { key } = store.state.cursor;
  if (key === undefined) return;
  const marks = new Set(store.state.marks);
  if (!marks.delete(key)) marks.add(key);
  store.update({ marks, lastMark: key });
  const at = store.events.order.indexOf(key);
  if (at !== -1) moveTo(store, at + 1);
}

function markRange(store: ConsoleStore, order: EventOrder): void {
  const { lastMark } = store.state;
  const cursor = cursorNow(store);
  const from = lastMark === undefined ? -1 : order.indexOf(lastMark);
  if (from === -1) return store.say('mark the first event with Space, then V marks up to the cursor');
  const range = order.slice(Math.min(from, cursor.index), Math.max(from, cursor.index) + 1);
  store.update({ marks: new Set([...store.state.marks, ...range.map((record) => record.key)]), lastMark: cursor.key });
}

function back(store: ConsoleStore): void {
  if (store.state.marks.size > 0) return store.update({ marks: new Set(), lastMark: undefined });
  if (store.state.filter.text !== '') return applyFilter(store, '');
  if (store.state.message !== undefined) store.update({ message: undefined });
}
