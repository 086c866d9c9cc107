import { targetId } from '../../../shared/domain/silencing.ts';
import type { SilencedRow } from '../../../shared/schemas/feed.ts';
import type { SilenceForm } from '../../state/layers/silence.ts';
import { silenceScopeEntries } from './form.ts';
import { recurs } from './recurrence.ts';

/** Entries that recur and that this form would put something else in the place of, which the backend refuses. */
export function lostRecurrences(form: SilenceForm, silenced: ReadonlyMap<string, SilencedRow>): readonly SilencedRow[] {
  if (recurs(form) || form.origin?.kind === 'change') return [];
  return silenceScopeEntries(form)
    .flatMap((parts) => silenced.get(targetId(parts)) ?? [])
    .filter(({ recurrence }) => recurrence !== undefined);
}
