/**
 * Categories of failed handler runs: the label `reason` of the metric `mon_notifications_failed_total`.
 *
 * - `timeout`: the run took longer than its timeout
 * - `connection`: a network error, such as an unknown host name, or a connection that was refused or lost
 * - `response`: the receiver rejected the notification
 * - `exit_status`: the command of a pipe handler ended with an exit status other than 0
 * - `mutator`: the mutator is not defined or failed
 * - `overflow`: the queue of the handler was full
 * - `other`: any other reason
 */
export const FAILURE_CATEGORIES = [
  'timeout',
  'connection',
  'response',
  'exit_status',
  'mutator',
  'overflow',
  'other',
] as const;

export type FailureCategory = (typeof FAILURE_CATEGORIES)[number];
