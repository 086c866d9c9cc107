import { HISTORY_LENGTH, isFullOfOk, statusesWithoutFirst, statusAtAge, type History } from './history.ts';

/** The occurrences of a check that is OK, and their watermark, where its history is too short to show them. */
export interface OkCount {
  /** The number of OK results in a row; undefined: the history shows it. */
  readonly okCount: number | undefined;
  /**
   * Maximum occurrences of the last problem, as long as they exceed the number of OK results after it; undefined: the
   * history shows them.
   */
  readonly okWatermark: number | undefined;
}

/** The state of a check before a result. */
interface Before extends OkCount {
  readonly history: History;
  readonly event: { readonly watermark: number } | undefined;
}

const FROM_HISTORY: OkCount = { okCount: undefined, okWatermark: undefined };

/**
 * Returns the occurrences and the watermark after one more result. `okCount` is undefined until the history is full and
 * contains only OK.
 *
 * @param history history after the result, which is its newest status
 */
export function nextOkCount(before: Before, history: History): OkCount {
  if (statusAtAge(history, 0) !== 0) return FROM_HISTORY;
  // A history that has just become full contains the first result ever, which does not count.
  const seed = before.history.length < history.length ? HISTORY_LENGTH : HISTORY_LENGTH + 1;
  const okCount =
    before.okCount === undefined ? (isFullOfOk(history) ? seed : undefined) : Math.min(before.okCount + 1, COUNT_MAX);
  const watermark = before.event?.watermark ?? before.okWatermark;
  const isAhead = watermark !== undefined && watermark > (okCount ?? 1);
  return { okCount, okWatermark: isAhead ? watermark : undefined };
}

/** Maximum count: the largest integer that the JavaScript engine stores without allocating memory. */
const COUNT_MAX = 2 ** 31 - 1;

/**
 * Returns the occurrences of a check that is OK, and their watermark (completion 1.22). The first result ever does not
 * count.
 */
export function okOccurrences({ history, okCount, okWatermark }: OkCount & Pick<Before, 'history'>): {
  readonly occurrences: number;
  readonly watermark: number;
} {
  const statuses = statusesWithoutFirst(history);
  const okSince = statuses.findLastIndex((status) => status !== 0) + 1;
  const occurrences = okCount ?? Math.max(1, statuses.length - okSince);
  return { occurrences, watermark: Math.max(occurrences, okWatermark ?? longestRun(statuses.slice(0, okSince))) };
}

/** Returns the highest occurrences of a problem: the length of the longest run of equal statuses after the last OK. */
function longestRun(statuses: readonly number[]): number {
  let longest = 0;
  let run = 0;
  for (let at = statuses.length - 1; at >= 0 && statuses[at] !== 0; at--) {
    run = statuses[at] === statuses[at + 1] ? run + 1 : 1;
    longest = Math.max(longest, run);
  }
  return longest;
}
