/** Number of seconds by which the time of a signed callback may differ from now (on-call 4). */
export const REPLAY_WINDOW_SECONDS = 300;

/**
 * Returns why the time of a signed callback is not accepted; undefined if it is recent. A callback that somebody
 * recorded is useless after the window.
 *
 * @param timestamp epoch seconds as a text, as the service sends it
 */
export function timestampProblem(timestamp: string, nowMs: number): string | undefined {
  if (!/^\d{1,12}$/.test(timestamp)) return 'the timestamp of the callback is missing';
  const differenceSeconds = Math.abs(nowMs / 1000 - Number(timestamp));
  return differenceSeconds <= REPLAY_WINDOW_SECONDS
    ? undefined
    : 'the callback is older or newer than five minutes: compare the clock of this machine';
}
