import type { ErrorCode } from '../../shared/errors.ts';
import { EXIT, type ExitCode } from '../words/exit-codes.ts';

/** Error that ends monctl with the given exit code, for an outcome that is not a failed request. */
export class ExitError extends Error {
  override readonly name = 'ExitError';
  readonly code: ExitCode;

  constructor(code: ExitCode, message: string) {
    super(message);
    this.code = code;
  }
}

const EXIT_OF: Readonly<Record<ErrorCode, ExitCode>> = {
  invalid: EXIT.usage,
  threshold: EXIT.usage,
  method_not_allowed: EXIT.usage,
  too_large: EXIT.usage,
  not_found: EXIT.missing,
  unauthenticated: EXIT.refused,
  forbidden: EXIT.refused,
  payment_required: EXIT.refused,
  no_memory: EXIT.unavailable,
  unavailable: EXIT.unavailable,
  conflict: EXIT.conflict,
  precondition: EXIT.conflict,
  internal: EXIT.failure,
};

export function exitCode(code: ErrorCode): ExitCode {
  return EXIT_OF[code];
}

/** Every exit code with its meaning, for the manual. */
export const EXIT_CODE_TEXTS: readonly (readonly [code: ExitCode, text: string])[] = [
  [EXIT.success, 'done'],
  [EXIT.failure, 'failure: an internal error, or the address does not belong to a backend'],
  [EXIT.usage, 'invalid command line, value or TLS configuration; nothing was done'],
  [EXIT.missing, 'not found'],
  [EXIT.refused, 'the backend rejected the credentials, or its entity limit is reached'],
  [EXIT.unavailable, 'the backend is unreachable or busy; retry later'],
  [EXIT.conflict, 'conflict: the object exists already, or somebody else owns the object'],
  [EXIT.declined, 'canceled; nothing was done'],
  [EXIT.unhealthy, 'the backend responds but has a problem (health, audit verify)'],
  [EXIT.incomplete, 'only a part was done (restore, create -f, delete -f, upgrade fix-namespaces)'],
  [EXIT.blocked, 'the upgrade is blocked (upgrade plan, upgrade check)'],
];
