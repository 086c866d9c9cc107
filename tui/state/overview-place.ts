/** Where the cursor of the overview is. */
export interface OverviewPlace {
  readonly box: BoxId;
  /** The row it is on, which it follows; `undefined`, or gone: the row at its index. */
  readonly key: string | undefined;
  readonly index: number;
}

export const FIRST_PLACE: OverviewPlace = { box: 'critical', key: undefined, index: 0 };

export type BoxId =
  | 'rates'
  | 'critical'
  | 'aggregates'
  | 'clients'
  | 'day'
  | 'actions'
  | 'problems'
  | 'noisiest'
  | 'silences'
  | 'handlers'
  | 'server'
  | 'upgrade';
