/**
 * The categories of failed handler runs, for the label `reason` of the metric `mon_notifications_failed_total`.
 *
 * - `timeout`: the run took longer than its timeout
 * - `connection`: the receiver has no address, or the connection was refused or lost
 * - `response`: the receiver rejected the notification
 * - `exit_status`: the command of a pipe handler exited with another status than 0
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
