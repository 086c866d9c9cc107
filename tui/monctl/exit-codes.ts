import type { ErrorCode } from '../../shared/errors.ts';
import { EXIT_CODES, type ExitCode } from '../words/exit-codes.ts';

/** Error that ends monctl with the given exit code, for an outcome that is not a failed request. */
export class ExitError extends Error {
  override readonly name = 'ExitError';
  readonly code: ExitCode;

  constructor(code: ExitCode, message: string) {
    super(message);
    this.code = code;
  }
}

const EXIT_BY_ERROR: Readonly<Record<ErrorCode, ExitCode>> = {
  invalid: EXIT_CODES.usage,
  threshold: EXIT_CODES.usage,
  method_not_allowed: EXIT_CODES.usage,
  too_large: EXIT_CODES.usage,
  not_found: EXIT_CODES.missing,
  unauthenticated: EXIT_CODES.refused,
  forbidden: EXIT_CODES.refused,
  payment_required: EXIT_CODES.refused,
  no_memory: EXIT_CODES.unavailable,
  unavailable: EXIT_CODES.unavailable,
  conflict: EXIT_CODES.conflict,
  precondition: EXIT_CODES.conflict,
  internal: EXIT_CODES.failure,
};

export function exitCode(code: ErrorCode): ExitCode {
  return EXIT_BY_ERROR[code];
}

/** Every exit code with its meaning, for the manual. */
export const EXIT_CODE_TEXTS: readonly (readonly [code: ExitCode, text: string])[] = [
  [EXIT_CODES.success, 'done'],
  [EXIT_CODES.failure, 'failure: an internal error, or the address does not belong to a backend'],
  [EXIT_CODES.usage, 'invalid command line, value or TLS configuration; nothing was done'],
  [EXIT_CODES.missing, 'not found'],
  [EXIT_CODES.refused, 'the backend rejected the credentials, or its entity limit is reached'],
  [EXIT_CODES.unavailable, 'the backend is unreachable or busy; retry later'],
  [EXIT_CODES.conflict, 'conflict: the object exists already, or somebody else owns the object'],
  [EXIT_CODES.declined, 'canceled; nothing was done'],
  [EXIT_CODES.unhealthy, 'the backend responds but has a problem (health, audit verify)'],
  [EXIT_CODES.incomplete, 'only a part was done (restore, create -f, delete -f, upgrade fix-namespaces)'],
  [EXIT_CODES.blocked, 'the upgrade is blocked (upgrade plan, upgrade check)'],
];
