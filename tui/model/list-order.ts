/** What a list shows, in order. */
export interface ListOrder<Item extends { readonly key: string } = { readonly key: string }> {
  readonly length: number;
  /** @returns -1 when it is not shown */
  indexOf(key: string): number;
  at(index: number): Item | undefined;
  slice(start: number, end: number): readonly Item[];
}

/** The column that a list is sorted by. */
export interface SortState {
  /** The column's id. */
  readonly column: string;
  /** Against the column's own direction. */
  readonly reversed: boolean;
}
