import type { NewSwap, ScheduleDetail } from '../../schemas/on-call.ts';
import { CALCULATED_DAYS_MAX } from './on-call-at.ts';

/* The exchange of two shifts: each of two people is on call in the shift of the other (on-call 3). */

/** A person who is on call in the shift of somebody else. Times are in epoch seconds. */
export interface SwappedShift {
  readonly person: string;
  readonly from: number;
  readonly until: number;
}

/** The problem because of which two shifts cannot be exchanged, as text for users. */
interface SwapProblem {
  readonly problem: string;
}

/**
 * Returns the two shifts of a swap, each with the person who is on call in it: first `other` in the shift of `person`,
 * then `person` in the shift of `other`.
 *
 * @param schedule a schedule with its shifts and gaps in the next 92 days
 */
export function swappedShifts(
  { name, shifts, gaps }: Pick<ScheduleDetail, 'name' | 'shifts' | 'gaps'>,
  { person, other, at, other_at: otherAt }: NewSwap,
): readonly [SwappedShift, SwappedShift] | SwapProblem {
  if (person === other) return { problem: 'other: must be another person' };
  // Shifts are cut at the end of the 92 days.
  const end = Math.max(...[...shifts, ...gaps].map(({ until }) => until));
  const days = `the next ${String(CALCULATED_DAYS_MAX)} days`;

  function shiftOf(someone: string, time: number | null | undefined): SwappedShift | SwapProblem {
    const shift = shifts.find((one) => one.person === someone && one.until > (time ?? 0));
    if (shift === undefined) return { problem: `${someone} has no shift of ${name} to swap in ${days}` };
    return shift.until < end
      ? shift
      : { problem: `the shift of ${someone} does not end in ${days}: create overrides instead` };
  }

  const [own, others] = [shiftOf(person, at), shiftOf(other, otherAt)];
  if ('problem' in own) return own;
  if ('problem' in others) return others;
  return [
    { person: other, from: own.from, until: own.until },
    { person, from: others.from, until: others.until },
  ];
}
