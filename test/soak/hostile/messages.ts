import type { Target } from './kind.ts';

/** What the honest load is to do. */
export interface HonestOrders {
  readonly url: string;
  readonly keys: Target['keys'];
  readonly agents: number;
  /** Each reports them in turn. */
  readonly checksEach: number;
  readonly resultsPerSecond: number;
}

/** To the process of the honest ones. */
export type HonestRequest =
  | ({ readonly kind: 'start' } & HonestOrders)
  | { readonly kind: 'report' }
  /** Send nothing more, and say when all is acknowledged. */
  | { readonly kind: 'drain' };

/** Since the report before. */
export interface HonestFigures {
  readonly kind: 'figures';
  readonly acked: number;
  /** From when a result was due to its acknowledgement. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly reconnects: number;
  /** Requests of operators, and those that were not answered well. */
  readonly requests: number;
  readonly failures: readonly string[];
  readonly slowestMs: number;
}

export interface HonestEnd {
  readonly kind: 'drained';
  /** Results that the backend did not take. */
  readonly rejected: number;
  /** The output of the last acknowledged result, by client and check. */
  readonly last: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

export type HonestAnswer = { readonly kind: 'ready' } | HonestFigures | HonestEnd;

/** To the process of the hostile ones. */
export type HostileRequest =
  | {
      readonly kind: 'start';
      readonly target: Target;
      readonly seed: number;
      /** 1: all lanes of each kind; there is one at least. */
      readonly strength: number;
    }
  | { readonly kind: 'report' };

export interface HostileFigures {
  readonly kind: 'figures';
  /** Connections of its own that are open. */
  readonly open: number;
  /** Since the start, by kind. */
  readonly endings: Readonly<Record<string, { answered: number; refused: number; cut: number }>>;
}
