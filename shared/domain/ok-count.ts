import { HISTORY_LENGTH, isFullOfOk, statusesWithoutFirst, statusAtAge, type History } from './history.ts';

/**
 * The number of OK results in a row (occurrences) of a check, and the maximum of its occurrences (watermark). Each is
 * stored only if it cannot be computed from the last 21 statuses.
 */
export interface OkCount {
  /** The number of OK results in a row; undefined if it can be counted in the history. */
  readonly okCount: number | undefined;
  /**
   * Maximum occurrences of the last problem, as long as they exceed the number of OK results after it. It is undefined
   * if they can be counted in the history.
   */
  readonly okWatermark: number | undefined;
}

/** The state of a check before a result. */
interface StateBeforeResult extends OkCount {
  readonly history: History;
  readonly event: { readonly watermark: number } | undefined;
}

const FROM_HISTORY: OkCount = { okCount: undefined, okWatermark: undefined };

/**
 * Returns the OK count and watermark after one more result. `okCount` is undefined unless the history is full and all
 * its statuses are OK.
 *
 * @param history history after the result; its newest status is that of the result
 */
export function nextOkCount(before: StateBeforeResult, history: History): OkCount {
  if (statusAtAge(history, 0) !== 0) return FROM_HISTORY;
  // A history that has just become full contains the very first result of the check, which is not counted.
  const seed = before.history.length < history.length ? HISTORY_LENGTH : HISTORY_LENGTH + 1;
  const okCount =
    before.okCount === undefined ? (isFullOfOk(history) ? seed : undefined) : Math.min(before.okCount + 1, COUNT_MAX);
  const watermark = before.event?.watermark ?? before.okWatermark;
  const isAhead = watermark !== undefined && watermark > (okCount ?? 1);
  return { okCount, okWatermark: isAhead ? watermark : undefined };
}

/** Maximum of `okCount`: the largest integer that the JavaScript engine stores without allocating memory. */
const COUNT_MAX = 2 ** 31 - 1;

/**
 * Returns the occurrences of a check that is OK, and their maximum, the watermark (completion 1.22). The very first
 * result of the check is not counted.
 */
export function okOccurrences({ history, okCount, okWatermark }: OkCount & Pick<StateBeforeResult, 'history'>): {
  readonly occurrences: number;
  readonly watermark: number;
} {
  const statuses = statusesWithoutFirst(history);
  const okSince = statuses.findLastIndex((status) => status !== 0) + 1;
  const occurrences = okCount ?? Math.max(1, statuses.length - okSince);
  return { occurrences, watermark: Math.max(occurrences, okWatermark ?? longestRun(statuses.slice(0, okSince))) };
}

/** Returns the length of the longest run of equal statuses after the last OK: the highest occurrences of a problem. */
function longestRun(statuses: readonly number[]): number {
  let longest = 0;
  let run = 0;
  for (let at = statuses.length - 1; at >= 0 && statuses[at] !== 0; at--) {
    run = statuses[at] === statuses[at + 1] ? run + 1 : 1;
    longest = Math.max(longest, run);
  }
  return longest;
}
