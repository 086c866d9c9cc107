/** Cases that do not agree yet: the test says which of them do by now. */
export const UNFINISHED: ReadonlySet<string> = new Set([
  'agents-frames-a/first-keepalive',
  'agents-frames-a/second-keepalive',
  'agents-keepalive/timing',
  'agents-keepalive/back',
  'agents-keepalive/keepalive-handler',
]);
