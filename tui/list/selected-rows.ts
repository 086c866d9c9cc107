import type { ListOfView } from './list-of-view.ts';

/** Returns the keys of the marked rows. If no row is marked, returns the key of the row under the cursor. */
export function selectedKeys({ list: { marks, cursor } }: Pick<ListOfView, 'list'>): readonly string[] {
  if (marks.size > 0) return [...marks];
  return cursor.key === undefined ? [] : [cursor.key];
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
