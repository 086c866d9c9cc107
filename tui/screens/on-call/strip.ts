import { safeLine } from '../../../shared/domain/terminal-text.ts';
import type { ListedSchedule } from '../../../shared/schemas/on-call.ts';
import { run, type Run } from '../../text/theme.ts';

/** Number of days of the strip. */
export const STRIP_DAYS = 14;
const STRIP_SECONDS = STRIP_DAYS * 86_400;

/** The mark of a part of the strip in which nobody is on call at some time. */
const GAP_MARK = '!';

/**
 * Returns the strip of a schedule: the initial of the person on call in each part of the next two weeks. A part with a
 * gap has the mark `!`, and an override is highlighted.
 *
 * @param nowMs begin of the strip, in epoch milliseconds
 * @param width width of the strip in cells
 */
export function stripRuns(
  { shifts = [], gaps = [] }: Pick<ListedSchedule, 'shifts' | 'gaps'>,
  nowMs: number,
  width: number,
): readonly Run[] {
  const begin = Math.floor(nowMs / 1000);
  const partSeconds = STRIP_SECONDS / Math.max(1, width);
  return Array.from({ length: width }, (_, part) => {
    const [from, until] = [begin + part * partSeconds, begin + (part + 1) * partSeconds];
    if (gaps.some((gap) => gap.from < until && gap.until > from)) return run(GAP_MARK, 'critical');
    const shift = shifts.find((one) => one.from <= from && from < one.until) ?? shifts.find((one) => one.until > from);
    if (shift === undefined) return run(' ');
    const [initial = '?'] = safeLine(shift.person);
    return run(initial, shift.override === undefined ? 'plain' : 'accent');
  });
}
