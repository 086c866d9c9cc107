import { historyOf, type History } from '../../../../shared/domain/history.ts';
import type { Migration } from './migration.ts';

type Json = Readonly<Record<string, unknown>>;

/** Every form but the newest begins with the check. */
const NEWEST = '{"history":{';

/**
 * Check records in one form. Those of schema 1 are in three, by the time of the build that wrote them: with the check first
 * and the history as a list, with the check first and the history packed, and as they are written today, with the state
 * first. Only the last can be taken apart without reading its check, which is most of it and what lists of events are made
 * from; and of the first a start would misread the history.
 */
export const checkRecords: Migration = {
  version: 2,
  name: 'check records',
  prefix: ['check'],
  rewrite(_key, value) {
    if (value.startsWith(NEWEST)) return value;
    const { check, history, lastOk, event, eventHistory, deletionsBefore, eventCheck } = packed(
      JSON.parse(value) as Json,
    );
    // The check comes last: whatever it holds, what is before it is the backend's own.
    return JSON.stringify({ history, lastOk, event, eventHistory, deletionsBefore, eventCheck, check });
  },
};

/** The oldest form had the event's own check and history inside the event. */
function packed(record: Json): Json {
  const { history } = record;
  if (!isStatuses(history)) return record;
  const { check: eventCheck, history: statuses, ...event } = (record['event'] ?? {}) as Json;
  return {
    ...record,
    history: historyOf(history),
    event: record['event'] === undefined ? undefined : event,
    eventHistory: isStatuses(statuses) ? (historyOf(statuses) satisfies History) : undefined,
    eventCheck,
  };
}

function isStatuses(value: unknown): value is readonly number[] {
  return Array.isArray(value);
}
