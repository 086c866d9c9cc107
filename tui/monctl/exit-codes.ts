import type { ErrorCode } from '../../shared/errors.ts';
import { EXIT, type ExitCode } from '../words/exit-codes.ts';

/** Ends a command with a code of its own, for what is no failure of a request. */
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
  not_found: EXIT.notFound,
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

/** For the manual: every code with what it says. */
export const EXIT_CODE_TEXTS: readonly (readonly [code: ExitCode, text: string])[] = [
  [EXIT.success, 'done'],
  [EXIT.failure, 'it failed: a defect, or an address that is no backend'],
  [EXIT.usage, 'the command line, a value, or the TLS configuration of one side is wrong; nothing was done'],
  [EXIT.notFound, 'what was named is not there'],
  [EXIT.refused, 'the backend refused the credentials, or what is beyond its entity limit'],
  [EXIT.unavailable, 'the backend cannot be reached or is busy; try again later'],
  [EXIT.conflict, 'it is there already, or somebody else holds it'],
  [EXIT.declined, 'you said no; nothing was done'],
  [EXIT.unhealthy, 'health, audit verify: the backend answers, and something is wrong'],
  [
    EXIT.incomplete,
    'restore, create, delete of a file, upgrade fix-namespaces: some of it was not done, or not as the file has it',
  ],
  [EXIT.blocked, 'upgrade plan, check: something is in the way of the upgrade'],
];
