import { HISTORY_LENGTH, isFullOfOk, laterStatuses, statusBack, type History } from './history.ts';

/** The number of OK results in a row, if it differs from the stored history. */
export interface OkCount {
  /** The number of OK results in a row; undefined: the number in the history. */
  readonly okCount: number | undefined;
  /** Occurrences of the last problem, while they exceed the OK results since; undefined: the number in the history. */
  readonly okWatermark: number | undefined;
}

/** The state of a check before a result. */
interface Before extends OkCount {
  readonly history: History;
  readonly event: { readonly watermark: number } | undefined;
}

const FROM_HISTORY: OkCount = { okCount: undefined, okWatermark: undefined };

/**
 * Counts one more result. A run of OK results is read from the history until the history holds nothing else.
 *
 * @param history with the result as its newest entry
 */
export function nextOkCount(before: Before, history: History): OkCount {
  if (statusBack(history, 0) !== 0) return FROM_HISTORY;
  // A full history was preceded by a problem, or by OK results that were not counted.
  const seed = before.history.length < history.length ? HISTORY_LENGTH : HISTORY_LENGTH + 1;
  const okCount =
    before.okCount === undefined ? (isFullOfOk(history) ? seed : undefined) : Math.min(before.okCount + 1, COUNT_MAX);
  const watermark = before.event?.watermark ?? before.okWatermark;
  const isAhead = watermark !== undefined && watermark > (okCount ?? 1);
  return { okCount, okWatermark: isAhead ? watermark : undefined };
}

/** The largest small integer of the JavaScript engine. */
const COUNT_MAX = 2 ** 31 - 1;

/**
 * Returns the occurrences of an OK check and their watermark (completion 1.22). The first result ever does not count.
 */
export function okOccurrences({ history, okCount, okWatermark }: OkCount & Pick<Before, 'history'>): {
  readonly occurrences: number;
  readonly watermark: number;
} {
  const statuses = laterStatuses(history);
  const okSince = statuses.findLastIndex((status) => status !== 0) + 1;
  const occurrences = okCount ?? Math.max(1, statuses.length - okSince);
  return { occurrences, watermark: Math.max(occurrences, okWatermark ?? longestRun(statuses.slice(0, okSince))) };
}

/** Returns the highest occurrence count of the problem at the end of these statuses. */
function longestRun(statuses: readonly number[]): number {
  let longest = 0;
  let run = 0;
  for (let at = statuses.length - 1; at >= 0 && statuses[at] !== 0; at--) {
    run = statuses[at] === statuses[at + 1] ? run + 1 : 1;
    longest = Math.max(longest, run);
  }
  return longest;
}
