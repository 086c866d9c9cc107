import type { ListOfView } from './list-of-view.ts';

/** Keys of the marked rows, or of the one that was drawn under the cursor. */
export function meantKeys({ list: { marks, cursor } }: Pick<ListOfView, 'list'>): readonly string[] {
  if (marks.size > 0) return [...marks];
  return cursor.key === undefined ? [] : [cursor.key];
}

/** These rows as they are now, of the kind that the view lists; those that are gone are left out. */
export function meantRows(store: Pick<ListOfView, 'list' | 'rows'>): readonly unknown[] {
  return meantKeys(store).flatMap((key) => {
    const record = store.rows.get(key);
    return record === undefined ? [] : [record.row];
  });
}

/** The row that was drawn under the cursor as it is now, whatever is marked; `undefined`: it is gone. */
export function rowUnderCursor({ list: { cursor }, rows }: Pick<ListOfView, 'list' | 'rows'>): unknown {
  return cursor.key === undefined ? undefined : rows.get(cursor.key)?.row;
}
