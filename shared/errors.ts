/**
 * What went wrong, as a promise to callers: every error answer of ours carries it as `code`, the API maps each to one HTTP
 * status, `monctl` to one exit code.
 *
 * - `invalid`: the input breaks a rule; the message names the place and the remedy
 * - `unauthenticated` / `forbidden`: no valid credentials / not allowed with these
 * - `not_found`, `conflict`: the thing is missing / is there already or is held by somebody else
 * - `precondition`: the thing is no longer as the caller supposes
 * - `payment_required`: beyond the entity limit, which a setting lifts
 * - `threshold`: beyond what a policy of the backend allows
 * - `method_not_allowed`: the thing is there, and this cannot be done with it
 * - `too_large`: beyond a size limit
 * - `no_memory`: new, and beyond the memory that a setting grants
 * - `unavailable`: not now (queue full, store failing); trying again later is right
 * - `internal`: a defect of ours
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

/** Whether it is a code of ours: those of others, and of newer backends, may be anything. */
export function isErrorCode(value: unknown): value is ErrorCode {
  return (ERROR_CODES as readonly unknown[]).includes(value);
}

/** What V8 has beyond the standard: how many lines of a stack it looks for. */
const ENGINE: { stackTraceLimit?: number | undefined } & ErrorConstructor = Error;

/**
 * The one error type that crosses the borders of the program. `message` is for people and says what to do next.
 *
 * It has no stack: it is an answer and no defect, and whoever floods the backend with what is refused would have it look
 * for one each time, which costs more than to refuse.
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
