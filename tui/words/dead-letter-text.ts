import type { DeadLetterSummary } from '../../shared/schemas/dead-letter.ts';
import { countOf } from './changes.ts';

/** Returns the name of the event, or of the group of events, that a dead letter contains. */
export function deadLetterSubject({
  client,
  check,
  group,
}: Pick<DeadLetterSummary, 'client' | 'check' | 'group'>): string {
  return group === undefined ? `${client} / ${check}` : `${group.label} (${countOf(group.events, 'event')})`;
}
