/**
 * Stable error codes. Every error response of mon has one of them as `code`. The API maps each code to an HTTP status,
 * and `monctl` to an exit code.
 *
 * - `invalid`: the input breaks a rule; the message names the attribute and the remedy
 * - `unauthenticated`: credentials are missing or invalid
 * - `forbidden`: the rights of the caller are insufficient
 * - `not_found`: the object does not exist
 * - `conflict`: the object exists already, or somebody else uses it
 * - `precondition`: the object has changed since the caller read it
 * - `payment_required`: the limit of the setting `entity-limit` is exceeded
 * - `threshold`: a policy of the backend, such as the silence policy, does not allow the value
 * - `method_not_allowed`: the object exists but does not support the method
 * - `too_large`: a size limit is exceeded
 * - `no_memory`: a new object would exceed the memory limit
 * - `unavailable`: a temporary problem (queue full, store failing); retry later
 * - `internal`: a defect in mon
 */
export const ERROR_CODES = [
  'invalid',
  'unauthenticated',
  'payment_required',
  'forbidden',
  'not_found',
  'method_not_allowed',
  'conflict',
  'precondition',
  'threshold',
  'too_large',
  'no_memory',
  'unavailable',
  'internal',
] as const;

export type ErrorCode = (typeof ERROR_CODES)[number];

/** True if a value is one of `ERROR_CODES`. Other products and newer backends can send other codes. */
export function isErrorCode(value: unknown): value is ErrorCode {
  return (ERROR_CODES as readonly unknown[]).includes(value);
}

/** `Error`, typed with the V8 attribute `stackTraceLimit`: the maximum number of lines of a stack trace. */
const ENGINE: { stackTraceLimit?: number | undefined } & ErrorConstructor = Error;

/**
 * The error type of every expected failure, and the only one whose message reaches users. `message` is for people and
 * says what to do next.
 *
 * It has no stack trace, because it reports no defect in mon. Under a flood of rejected requests, capturing stack
 * traces would cost more than rejecting the requests.
 */
export class MonError extends Error {
  override readonly name = 'MonError';
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    const { stackTraceLimit } = ENGINE;
    ENGINE.stackTraceLimit = 0;
    super(message, options);
    ENGINE.stackTraceLimit = stackTraceLimit;
    this.code = code;
  }
}

/**
 * An error with the code `unavailable` for an expected condition that ends soon: a full queue, a shutdown, or an
 * upgrade during which results are rejected.
 */
export class BusyError extends MonError {
  constructor(message: string) {
    super('unavailable', message);
  }
}

/** Returns the message of a thrown value, even if it is not an `Error`. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
