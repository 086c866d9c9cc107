/** The rows of a list in their order. */
export interface ListOrder<Item extends { readonly key: string } = { readonly key: string }> {
  readonly length: number;
  /**
   * Returns the position of the row with this key.
   *
   * @returns the position, counted from 0; -1 if the list does not show the row
   */
  indexOf(key: string): number;
  at(index: number): Item | undefined;
  slice(start: number, end: number): readonly Item[];
}

/** The column that a list is sorted by, and the direction. */
export interface SortState {
  /** The id of the sort column. */
  readonly column: string;
  /** True if the list is sorted against the default direction of the column. */
  readonly reversed: boolean;
}
