import type { ErrorCode } from '../../shared/errors.ts';

/** What a script can tell from the exit code alone. The numbers are a promise: never give one another meaning. */
export const EXIT = {
  success: 0,
  /** A defect, of `monctl`, of the backend or of what answers in its place. */
  failure: 1,
  /** The command line or a value is wrong; nothing was done. */
  usage: 2,
  /** The event, client, check or whatever was named is not there. */
  notFound: 3,
  /** The backend wants other credentials, or is not allowed so many entities. */
  refused: 4,
  /** The backend cannot be reached or is too busy: trying again later is right. */
  unavailable: 5,
  /** Somebody else holds or made the same thing. */
  conflict: 6,
  /** Somebody was asked whether to go on and said no; nothing was done. */
  declined: 7,
  /** `monctl health` and `audit verify`: the backend answers, and is not well. */
  unhealthy: 8,
  /** `monctl restore`, `create -f`, `upgrade fix-namespaces`: part of it was done, and it was said which. */
  incomplete: 9,
  /** `monctl upgrade`: a rule is in the way of the upgrade, and it was said which. */
  blocked: 10,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

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
  [EXIT.usage, 'the command line or a value is wrong; nothing was done'],
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
