/**
 * The error codes, which are a stable part of the API. Every error response has one as `code`. The API maps each code
 * to one HTTP status, and `monctl` maps it to one exit code.
 *
 * - `invalid`: the input violates a rule; the message names the place and the remedy
 * - `unauthenticated` / `forbidden`: no valid credentials / not allowed with these credentials
 * - `not_found`, `conflict`: the object is missing / exists already or is held by somebody else
 * - `precondition`: the object has changed since the caller read it
 * - `payment_required`: the entity limit is exceeded; a setting raises it
 * - `threshold`: a policy or a limit of the backend does not allow it
 * - `method_not_allowed`: the path exists, but not with this method
 * - `too_large`: a size limit is exceeded
 * - `no_memory`: the object is new, and the memory limit is reached
 * - `unavailable`: temporary failure (queue full, store failing): retry later
 * - `internal`: a defect of mon
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

/** Whether it is one of our codes. Other services and newer backends can send any code. */
export function isErrorCode(value: unknown): value is ErrorCode {
  return (ERROR_CODES as readonly unknown[]).includes(value);
}

/** A property of V8: the number of stack frames that errors record. */
const ENGINE: { stackTraceLimit?: number | undefined } & ErrorConstructor = Error;

/**
 * The one error type that crosses the borders of the program. `message` is for people and says what to do next.
 *
 * It has no stack, because it is a response and not a defect. Recording a stack costs more than rejecting a request, so
 * a flood of invalid requests would cost too much.
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

/** `unavailable` although nothing is wrong, and soon over: a full queue, a stop, results that a plan keeps out. */
export class BusyError extends MonError {
  constructor(message: string) {
    super('unavailable', message);
  }
}

/** The text of anything that was thrown. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
