import type { Target } from './kind.ts';

/** The order for the honest load. */
export interface HonestOrders {
  readonly url: string;
  readonly keys: Target['keys'];
  readonly agents: number;
  /** Number of checks that each agent reports in turn. */
  readonly checksEach: number;
  readonly resultsPerSecond: number;
}

/** A request to the process of the honest clients. */
export type HonestRequest =
  | ({ readonly kind: 'start' } & HonestOrders)
  | { readonly kind: 'report' }
  /** Stops sending, and reports when everything is acknowledged. */
  | { readonly kind: 'drain' };

/** The figures since the previous report. */
export interface HonestFigures {
  readonly kind: 'figures';
  readonly acked: number;
  /** Latencies from the time when a result was due to its acknowledgment. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly reconnects: number;
  /** Requests of operators, and those that failed. */
  readonly requests: number;
  readonly failures: readonly string[];
  readonly slowestMs: number;
}

export interface HonestEnd {
  readonly kind: 'drained';
  /** Number of results that the backend rejected. */
  readonly rejected: number;
  /** The output of the last acknowledged result, by client and check. */
  readonly last: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

export type HonestAnswer = { readonly kind: 'ready' } | HonestFigures | HonestEnd;

/** A request to the process of the hostile clients. */
export type HostileRequest =
  | {
      readonly kind: 'start';
      readonly target: Target;
      readonly seed: number;
      /** 1 means all lanes of each kind; there is at least one. */
      readonly strength: number;
    }
  | { readonly kind: 'report' };

export interface HostileFigures {
  readonly kind: 'figures';
  /** Number of open connections of the hostile clients. */
  readonly open: number;
  /** Outcomes since the start, by kind. */
  readonly endings: Readonly<Record<string, { answered: number; refused: number; cut: number }>>;
}
