import type { DeadLetterSummary } from '../../shared/schemas/dead-letter.ts';

/** What a run that failed for good was to tell: an event, or a group of them. */
export function deadLetterSubject({
  client,
  check,
  group,
}: Pick<DeadLetterSummary, 'client' | 'check' | 'group'>): string {
  return group === undefined ? `${client} / ${check}` : `${group.label} (${String(group.events)} events)`;
}
