import type { Target } from './kind.ts';

/** The parameters of the load from the honest clients. */
export interface HonestOrders {
  readonly url: string;
  readonly keys: Target['keys'];
  readonly agents: number;
  /** Number of checks whose results each agent reports in turn. */
  readonly checksEach: number;
  readonly resultsPerSecond: number;
}

/** A request to the process of the honest clients. */
export type HonestRequest =
  | ({ readonly kind: 'start' } & HonestOrders)
  | { readonly kind: 'report' }
  /** Stops the load, and responds when all results are acknowledged. */
  | { readonly kind: 'drain' };

/** The measurements of the honest clients since the previous report. */
export interface HonestFigures {
  readonly kind: 'figures';
  readonly acked: number;
  /** Median time from the moment when a result was due to its acknowledgment; `p99Ms` is the 99th percentile. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly reconnects: number;
  /** Number of requests by operators; `failures` describes the first failed ones. */
  readonly requests: number;
  readonly failures: readonly string[];
  readonly slowestMs: number;
}

export interface HonestEnd {
  readonly kind: 'drained';
  /** Number of results that the backend rejected. */
  readonly rejected: number;
  /** The output of the last acknowledged result of each check, by client and check. */
  readonly last: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

export type HonestResponse = { readonly kind: 'ready' } | HonestFigures | HonestEnd;

/** A request to the process of the hostile clients. */
export type HostileRequest =
  | {
      readonly kind: 'start';
      readonly target: Target;
      readonly seed: number;
      /** Share of the lanes of each kind that run, up to 1; at least one lane of each kind runs. */
      readonly strength: number;
    }
  | { readonly kind: 'report' };

export interface HostileFigures {
  readonly kind: 'figures';
  /** Number of open connections of the hostile clients. */
  readonly open: number;
  /** Counts of the outcomes since the start, by kind of attack. */
  readonly endings: Readonly<Record<string, { answered: number; refused: number; cut: number }>>;
}
