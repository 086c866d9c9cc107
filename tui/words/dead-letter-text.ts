import type { DeadLetterSummary } from '../../shared/schemas/dead-letter.ts';
import { countOf } from './changes.ts';

/** Returns the name of what a dead letter is about: an event, or a group of events. */
export function deadLetterSubject({
  client,
  check,
  group,
}: Pick<DeadLetterSummary, 'client' | 'check' | 'group'>): string {
  return group === undefined ? `${client} / ${check}` : `${group.label} (${countOf(group.events, 'event')})`;
}
