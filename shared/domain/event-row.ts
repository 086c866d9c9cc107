import type { Event } from '../schemas/event.ts';
import type { EventRow } from '../schemas/feed.ts';

/** Characters of the output that a row carries. */
const OUTPUT_LENGTH_MAX = 200;

/** An event as tables, searches and the feed see it. */
export function eventRow(event: Event): EventRow {
  const { client, check, action, occurrences, silenced_by } = event;
  return {
    client: client.name,
    check: check.name,
    status: check.status,
    action,
    occurrences,
    since: event.last_state_change ?? event.timestamp,
    last: event.timestamp,
    silenced_by,
    output: outputSummary(check.output),
  };
}

/** The first line of an output, short enough for a row. */
export function outputSummary(output: string): string {
  const start = output.slice(0, OUTPUT_LENGTH_MAX);
  const newline = start.indexOf('\n');
  return newline === -1 ? start : start.slice(0, newline);
}
