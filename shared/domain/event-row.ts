import type { Event } from '../schemas/event.ts';
import type { EventRow } from '../schemas/feed.ts';

/** An event as tables, searches and the feed see it. */
export function eventRow(event: Event): EventRow {
  const { namespace, client, check, action, occurrences, silenced_by, recovering } = event;
  return {
    ...(namespace !== undefined && { namespace }),
    client: client.name,
    check: check.name,
    status: check.status,
    action,
    occurrences,
    since: event.last_state_change ?? event.timestamp,
    last: event.timestamp,
    silenced_by,
    output: outputSummary(check.output),
    ...(recovering !== undefined && { recovering }),
  };
}

/** What a row carries of an output: its first line, at most 200 UTF-16 units of it, with no half of a character. */
export function outputSummary(output: string): string {
  return (/^[^\r\n]{0,200}/.exec(output)?.[0] ?? '').toWellFormed();
}
