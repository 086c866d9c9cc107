import type { DeadLetterSummary } from '../../shared/schemas/dead-letter.ts';
import { countOf } from './changes.ts';

/** What a run that failed for good was to tell: an event, or a group of them. */
export function deadLetterSubject({
  client,
  check,
  group,
}: Pick<DeadLetterSummary, 'client' | 'check' | 'group'>): string {
  return group === undefined ? `${client} / ${check}` : `${group.label} (${countOf(group.events, 'event')})`;
}
