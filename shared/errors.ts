/**
 * Stable codes of errors. Every error response of ours has one as `code`; the API maps each to an HTTP status, and
 * `monctl` to an exit code.
 *
 * - `invalid`: the input breaks a rule; the message names the attribute and the remedy
 * - `unauthenticated` / `forbidden`: no valid credentials / insufficient rights
 * - `not_found`, `conflict`: the object does not exist / exists already or is in use by somebody else
 * - `precondition`: the object has changed since the caller read it
 * - `payment_required`: the entity limit is exceeded, which a setting raises
 * - `threshold`: a policy of the backend does not allow the value
 * - `method_not_allowed`: the object exists but does not support the method
 * - `too_large`: a size limit is exceeded
 * - `no_memory`: a new object would exceed the memory limit
 * - `unavailable`: temporary (queue full, store failing); retry later
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

/** Whether a value is one of these codes; other products and newer backends may send others. */
export function isErrorCode(value: unknown): value is ErrorCode {
  return (ERROR_CODES as readonly unknown[]).includes(value);
}

/** The Error constructor with a V8 extension: the maximum number of lines of a stack trace. */
const ENGINE: { stackTraceLimit?: number | undefined } & ErrorConstructor = Error;

/**
 * The only error type that crosses the boundaries of the program. `message` is for people and says what to do next.
 *
 * It has no stack trace, because it is a response and not a defect. Under a flood of rejected requests, capturing stack
 * traces would cost more than the rejections.
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

/** An `unavailable` error without a fault that ends soon: a full queue, a shutdown, or results that a plan rejects. */
export class BusyError extends MonError {
  constructor(message: string) {
    super('unavailable', message);
  }
}

/** Returns the message of any thrown value. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
