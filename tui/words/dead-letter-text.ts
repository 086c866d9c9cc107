import type { DeadLetterSummary } from '../../shared/schemas/dead-letter.ts';
import { countOf } from './changes.ts';

/** Returns the subject of a dead letter: an event, or a group of events. */
export function deadLetterSubject({
  client,
  check,
  group,
}: Pick<DeadLetterSummary, 'client' | 'check' | 'group'>): string {
  return group === undefined ? `${client} / ${check}` : `${group.label} (${countOf(group.events, 'event')})`;
}
