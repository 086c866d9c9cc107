import type { LiveData } from '../model/live-data.ts';
import { targetOf, type EventTarget } from '../model/target.ts';
import type { ListOfView } from './list-of-view.ts';

/** Returns the keys of the marked rows. If no row is marked, returns the key of the row under the cursor. */
export function selectedKeys({ list: { marks, cursor } }: Pick<ListOfView, 'list'>): readonly string[] {
  if (marks.size > 0) return [...marks];
  return cursor.key === undefined ? [] : [cursor.key];
}

/**
 * Returns the keys of the events of a row in the list of events: of all events of a fold that the last frame showed, or
 * of the event itself.
 */
export function eventKeysOf(folds: LiveData['folds'], key: string): readonly string[] {
  const fold = folds.fold(key);
  return fold === undefined ? [key] : folds.shownEvents(fold).map((record) => record.key);
}

/**
 * Returns the selected events: those of the marked rows, or of the row under the cursor. A fold stands for all of its
 * events. Events that have resolved are included, so that a message can name them.
 */
export function selectedTargets({
  list,
  folds,
}: Pick<ListOfView, 'list'> & Pick<LiveData, 'folds'>): readonly EventTarget[] {
  const keys = new Set(selectedKeys({ list }).flatMap((key) => eventKeysOf(folds, key)));
  return Array.from(keys, targetOf);
}

/**
 * Returns the current state of the selected rows, without rows that no longer exist. The view decides the type of the
 * rows.
 */
export function selectedRows(store: Pick<ListOfView, 'list' | 'rows'>): readonly unknown[] {
  return selectedKeys(store).flatMap((key) => {
    const record = store.rows.get(key);
    return record === undefined ? [] : [record.row];
  });
}

/** Returns the current row under the cursor, regardless of marks; `undefined` if it is gone. */
export function rowUnderCursor({ list: { cursor }, rows }: Pick<ListOfView, 'list' | 'rows'>): unknown {
  return cursor.key === undefined ? undefined : rows.get(cursor.key)?.row;
}
