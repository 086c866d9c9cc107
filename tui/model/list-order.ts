/** The rows of a list in their order. */
export interface ListOrder<Item extends { readonly key: string } = { readonly key: string }> {
  readonly length: number;
  /**
   * Returns the position of a row.
   *
   * @returns -1 if it is not shown
   */
  indexOf(key: string): number;
  at(index: number): Item | undefined;
  slice(start: number, end: number): readonly Item[];
}

/** The column that a list is sorted by. */
export interface SortState {
  /** The column's id. */
  readonly column: string;
  /** True if the order is opposite to the column's own direction. */
  readonly reversed: boolean;
}
