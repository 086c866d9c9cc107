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
