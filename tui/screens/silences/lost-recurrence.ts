import { targetId } from '../../../shared/domain/silencing.ts';
import type { SilencedRow } from '../../../shared/schemas/feed.ts';
import type { SilenceForm } from '../../state/layers/silence.ts';
import { silenceScopeEntries } from './form.ts';
import { isRecurring } from './recurrence.ts';

/**
 * Returns the recurring silences that the form would replace by silences without a recurrence. The backend would reject
 * that.
 */
export function lostRecurrences(form: SilenceForm, silenced: ReadonlyMap<string, SilencedRow>): readonly SilencedRow[] {
  if (isRecurring(form) || form.origin?.kind === 'change') return [];
  return silenceScopeEntries(form)
    .flatMap((parts) => silenced.get(targetId(parts)) ?? [])
    .filter(({ recurrence }) => recurrence !== undefined);
}
