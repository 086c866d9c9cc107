import { clip, plainLine } from '../../../../shared/domain/message/clip.ts';
import type { FailureCategory } from '../../../../shared/schemas/failure-category.ts';

/** Longest text of a receiver that is shown, in UTF-16 units. */
const SAID_LENGTH_MAX = 200;

/** The result of one run of a handler. */
export type DeliveryOutcome =
  | {
      readonly kind: 'delivered';
      /** The name of the backend that executed the run; absent: this one. */
      readonly member?: string;
    }
  | {
      readonly kind: 'failed';
      readonly member?: string;
      /** The reason for display, without secrets. */
      readonly reason: string;
      /** The category of the reason for metrics; absent: `other`. */
      readonly category?: FailureCategory | undefined;
      /**
       * True if another attempt may succeed: after a refused connection, a 5xx, a nonzero exit status or a timeout.
       * False for an unknown mutator, or a response that rejects the request itself.
       */
      readonly isRetryable: boolean;
      /** The delay that the receiver asks for before the next attempt. */
      readonly retryAfterMs?: number | undefined;
    };

export type Failure = Extract<DeliveryOutcome, { kind: 'failed' }>;

export const DELIVERED: DeliveryOutcome = { kind: 'delivered' };

export function failedForGood(reason: string, category?: FailureCategory): Failure {
  return { kind: 'failed', reason, ...(category !== undefined && { category }), isRetryable: false };
}

export function failedForNow(reason: string, category?: FailureCategory): Failure {
  return { ...failedForGood(reason, category), isRetryable: true };
}

/** The outcome while the backend stops; the run is repeated after the next start. */
export const STOPPED: Failure = failedForNow('the backend is stopping');

/**
 * Returns the text of a receiver, or of a library about a connection, for display: one short line without control
 * characters and without secrets.
 *
 * @param keys the secrets that the receiver was sent, and may repeat
 */
export function said(text: string, keys: readonly string[] = []): string {
  // Longest first, so that nothing is left of a key that contains another one.
  const longestFirst = keys.filter((key) => key.length > 1).toSorted((a, b) => b.length - a.length);
  const hidden = longestFirst.reduce((masked, key) => masked.replaceAll(key, 'REDACTED'), text);
  return clip(plainLine(hidden), SAID_LENGTH_MAX);
}
