/** How one run of a handler ended. */
export type DeliveryOutcome =
  | {
      readonly kind: 'delivered';
      /** The name of the backend that ran it; absent: this one. */
      readonly member?: string;
    }
  | {
      readonly kind: 'failed';
      readonly member?: string;
      /** For people, without secrets. */
      readonly reason: string;
      /**
       * Whether another try may succeed: a refused connection, a 5xx, an exit status that is not 0, a timeout. Not for an
       * unknown mutator, or an answer that says the request itself is wrong.
       */
      readonly isRetryable: boolean;
      /** The receiver asks not to be tried before. */
      readonly retryAfterMs?: number | undefined;
    };

type Failure = Extract<DeliveryOutcome, { kind: 'failed' }>;

export const DELIVERED: DeliveryOutcome = { kind: 'delivered' };

export function failedForGood(reason: string): Failure {
  return { kind: 'failed', reason, isRetryable: false };
}

export function failedForNow(reason: string): Failure {
  return { kind: 'failed', reason, isRetryable: true };
}

/** The backend stops; the run is repeated after its next start. */
export const STOPPED: Failure = failedForNow('the backend is stopping');
