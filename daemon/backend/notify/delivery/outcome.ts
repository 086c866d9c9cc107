import { clipText, plainLine } from '../../../../shared/domain/message/clip.ts';
import type { FailureCategory } from '../../../../shared/schemas/failure-category.ts';

/** Maximum length of a displayed text from a receiver, in UTF-16 units. A longer text is truncated. */
const RECEIVER_TEXT_LENGTH_MAX = 200;

/** The outcome of one attempt to deliver a notification. */
export type DeliveryOutcome =
  | {
      readonly kind: 'delivered';
      /** The name of the cluster member that ran the handler; absent if this backend ran it. */
      readonly member?: string;
    }
  | {
      readonly kind: 'failed';
      /** The name of the cluster member that ran the handler; absent if this backend ran it. */
      readonly member?: string;
      /** The reason of the failure, as a text for users. It contains no secrets. */
      readonly reason: string;
      /** The category under which metrics count the failure; absent means `other`. */
      readonly category?: FailureCategory | undefined;
      /**
       * True if another attempt may succeed. Examples are a refused connection, an HTTP status of 500 or higher, and a
       * pipe handler that timed out or exited with a nonzero status. False, for example, if the mutator is unknown or
       * the receiver rejected the request.
       */
      readonly isRetryable: boolean;
      /** The minimum delay before the next attempt that the receiver requested; absent if it requested none. */
      readonly retryAfterMs?: number | undefined;
    };

export type DeliveryFailure = Extract<DeliveryOutcome, { kind: 'failed' }>;

export const DELIVERED_OUTCOME: DeliveryOutcome = { kind: 'delivered' };

export function permanentFailure(reason: string, category?: FailureCategory): DeliveryFailure {
  return { kind: 'failed', reason, ...(category !== undefined && { category }), isRetryable: false };
}

export function retryableFailure(reason: string, category?: FailureCategory): DeliveryFailure {
  return { ...permanentFailure(reason, category), isRetryable: true };
}

/** The outcome of an attempt that ended because the backend stops. Its job runs again after the next start. */
export const BACKEND_STOPPING: DeliveryFailure = retryableFailure('the backend is stopping');

/**
 * Returns a text from a receiver, or the error text of a network library, for display: one short line without control
 * characters, in which `REDACTED` replaces secrets.
 *
 * @param secrets the secrets that were sent to the receiver and that its text may repeat; secrets of a single character
 * are not replaced
 */
export function toDisplayLine(text: string, secrets: readonly string[] = []): string {
  // Replace longer secrets first: if a secret contains another secret, no part of the longer one may remain.
  const longestFirst = secrets.filter((secret) => secret.length > 1).toSorted((a, b) => b.length - a.length);
  const redactedText = longestFirst.reduce((masked, secret) => masked.replaceAll(secret, 'REDACTED'), text);
  return clipText(plainLine(redactedText), RECEIVER_TEXT_LENGTH_MAX);
}
