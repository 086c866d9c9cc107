import { clip, plainLine } from '../../../shared/domain/message/clip.ts';

/** Most of what somebody else says of a run that is told to people. */
const SAID_LENGTH_MAX = 200;

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
       * Whether another try may succeed: a refused connection, a 5xx, an exit status that is not 0, a timeout. Not for
       * an unknown mutator, or an answer that says the request itself is wrong.
       */
      readonly isRetryable: boolean;
      /** The receiver asks not to be tried before. */
      readonly retryAfterMs?: number | undefined;
    };

export type Failure = Extract<DeliveryOutcome, { kind: 'failed' }>;

export const DELIVERED: DeliveryOutcome = { kind: 'delivered' };

export function failedForGood(reason: string): Failure {
  return { kind: 'failed', reason, isRetryable: false };
}

export function failedForNow(reason: string): Failure {
  return { kind: 'failed', reason, isRetryable: true };
}

/** The backend stops; the run is repeated after its next start. */
export const STOPPED: Failure = failedForNow('the backend is stopping');

/**
 * What a receiver says of a run, or a library of a connection, so that it can be told: one short line that acts on no
 * screen, without what nobody else may see.
 *
 * @param keys what the receiver was sent in confidence, and may repeat
 */
export function said(text: string, keys: readonly string[] = []): string {
  // Of a key that holds another one nothing is to be left.
  const longestFirst = keys.filter((key) => key.length > 1).toSorted((a, b) => b.length - a.length);
  const hidden = longestFirst.reduce((rest, key) => rest.replaceAll(key, 'REDACTED'), text);
  return clip(plainLine(hidden), SAID_LENGTH_MAX);
}
