/**
 * The meaning of each stable error code. Every error response of mon has one of them as `code`. The API maps each code
 * to an HTTP status, and `monctl` to an exit code. The documentation prints these texts.
 */
export const ERROR_MEANINGS = {
  invalid: 'The input violates a rule. The message names the attribute and the remedy.',
  unauthenticated: 'The credentials are missing or invalid.',
  payment_required: 'The limit of the setting `entity-limit` is reached.',
  forbidden: 'These credentials do not allow the request.',
  not_found: 'The object does not exist.',
  method_not_allowed: 'The path exists, but it supports only the methods in the header `Allow`.',
  conflict: 'The object already exists, or someone else uses it.',
  precondition: 'The object has changed since the caller read it. Read it again.',
  threshold: 'The silence policy or a limit of the backend does not allow the value.',
  too_large: 'A size limit is exceeded.',
  no_memory: 'The object is new, and the setting `memory-limit` is reached.',
  unavailable: 'A temporary problem. Retry after the number of seconds in the header `Retry-After`.',
  internal: 'A defect in mon, or a failing store. The log of the backend has the details.',
} as const;

export type ErrorCode = keyof typeof ERROR_MEANINGS;

export const ERROR_CODES = Object.keys(ERROR_MEANINGS) as readonly ErrorCode[];

/** True if a value is one of `ERROR_CODES`. Other products and newer backends can send other codes. */
export function isErrorCode(value: unknown): value is ErrorCode {
  return typeof value === 'string' && Object.hasOwn(ERROR_MEANINGS, value);
}

/** `Error`, typed with the V8 attribute `stackTraceLimit`: the maximum number of lines of a stack trace. */
const V8_ERROR: { stackTraceLimit?: number | undefined } & ErrorConstructor = Error;

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
    const { stackTraceLimit } = V8_ERROR;
    V8_ERROR.stackTraceLimit = 0;
    super(message, options);
    V8_ERROR.stackTraceLimit = stackTraceLimit;
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
