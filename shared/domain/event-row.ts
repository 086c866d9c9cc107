import { CHECK_ATTRIBUTES, CLIENT_ATTRIBUTES } from '../schemas/attribute-set.ts';
import type { Event } from '../schemas/event.ts';
import type { EventRow } from '../schemas/feed.ts';
import { viewAttributes } from './attribute-set.ts';
import { withoutPerformanceData } from './performance-data.ts';
import { checkRedactKeysOf, redactKeysOf } from './redact.ts';
import { clientSubscription } from './subscription.ts';

/** Converts an event to the row that tables, searches and the feed use. */
export function eventRow(event: Event): EventRow {
  const { namespace, client, check, action, occurrences, silenced_by, recovering, acknowledged, escalations } = event;
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
    [CLIENT_ATTRIBUTES]: viewAttributes(client, clientSubscription(client.name), redactKeysOf(client)),
    [CHECK_ATTRIBUTES]: viewAttributes(check, '', checkRedactKeysOf(client)),
    ...(recovering !== undefined && { recovering }),
    ...(acknowledged !== undefined && { acknowledged }),
    ...(escalations !== undefined && { escalations }),
  };
}

/**
 * Returns the summary of a check output: its first line with text, without performance data. It is cut to 200 UTF-16
 * units without splitting a surrogate pair.
 */
export function outputSummary(output: string): string {
  const line = /^\s*([^\r\n]{0,600})/.exec(output)?.[1] ?? '';
  return withoutPerformanceData(line).slice(0, 200).toWellFormed();
}
