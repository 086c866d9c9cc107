/** The exit codes of the programs. Scripts rely on the numbers, so the meaning of a number must never change. */
export const EXIT_CODES = {
  success: 0,
  /** An internal error of `monctl`, of the backend, or of a program that responds in its place, such as a proxy. */
  failure: 1,
  /** The command line or a value is invalid; nothing was done. */
  usage: 2,
  /** The named event, client, check or other object does not exist. */
  missing: 3,
  /** The backend rejects the credentials, or its entity limit is reached. */
  refused: 4,
  /** The backend is unreachable or too busy: retry later. */
  unavailable: 5,
  /** Another user owns the object, or has created an object of the same name. */
  conflict: 6,
  /** The user answered no to a confirmation; nothing was done. */
  declined: 7,
  /** `monctl health` and `audit verify`: the backend responds, but is not healthy. */
  unhealthy: 8,
  /** `monctl restore`, `create -f`, `upgrade fix-namespaces`: only a part was done, and the output says which part. */
  incomplete: 9,
  /** `monctl upgrade`: a rule blocks the upgrade, and the output names the rule. */
  blocked: 10,
} as const;

export type ExitCode = (typeof EXIT_CODES)[keyof typeof EXIT_CODES];
