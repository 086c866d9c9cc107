import { readTime } from '../../../shared/domain/time-text.ts';
import type { OverrideRequest } from '../../state/layers/fields-dialog.ts';
import type { ScreenView } from '../../state/ports.ts';
import { localClock } from '../../words/shown-time.ts';
import type { PlanRequestCheck } from '../plans/plan-requests.ts';

/**
 * Returns the request for a new override, or the problem with the typed texts.
 *
 * @param texts the texts of the dialog's fields: the person, the begin, the end, which can be a duration after the
 *   begin, and the note
 */
export function checkOverride(
  { options }: ScreenView,
  { schedule }: OverrideRequest,
  [person = '', from = '', until = '', note = '']: readonly string[],
): PlanRequestCheck {
  const nowMs = options.now();
  if (person === '') return problem('enter the name of a person');
  const begin = readTime(from === '' ? 'now' : from, localClock(nowMs), 'future');
  if (begin.problem !== undefined) return problem(`From: ${begin.problem}`);
  if (until === '') return problem('enter when the override ends, such as mon 09:00 or 2h');
  const end = readTime(until, localClock(begin.atMs), 'future');
  if (end.problem !== undefined) return problem(`Until: ${end.problem}`);
  if (end.atMs <= begin.atMs) return problem('Until must be later than From');
  const override = {
    person,
    from: Math.floor(begin.atMs / 1000),
    until: Math.floor(end.atMs / 1000),
    by: options.creator,
    ...(note !== '' && { note }),
  };
  return { kind: 'effect', effect: { kind: 'create-override', schedule, override } };
}

function problem(text: string): PlanRequestCheck {
  return { kind: 'problem', text };
}
