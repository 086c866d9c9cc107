/** The position of the cursor in the overview. */
export interface OverviewPosition {
  readonly box: BoxId;
  /** Key of the row under the cursor. If it is `undefined` or gone, the row at `index` is used. */
  readonly key: string | undefined;
  readonly index: number;
}

export const FIRST_OVERVIEW_POSITION: OverviewPosition = { box: 'critical', key: undefined, index: 0 };

export type BoxId =
  | 'open'
  | 'rates'
  | 'critical'
  | 'escalations'
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
