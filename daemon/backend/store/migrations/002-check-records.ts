import { historyOf, type History } from '../../../../shared/domain/history.ts';
import type { Migration } from './migration.ts';

type Json = Readonly<Record<string, unknown>>;

/** Prefix of the newest form; every other form begins with the check. */
const NEWEST = '{"history":{';

/**
 * Brings all check records to one form. Those of schema 1 have three forms, depending on the build that wrote them:
 *
 * - the check first and the history as a list,
 * - the check first and the history packed,
 * - the state first, as they are written today.
 *
 * Only the last form can be split without parsing its check, which is the largest part and the source of lists of
 * events. A start would misread the history of the first form.
 */
export const checkRecords: Migration = {
  version: 2,
  name: 'check records',
  prefixes: [['check']],
  rewrite(_key, value) {
    if (value.startsWith(NEWEST)) return value;
    const { check, history, lastOk, event, eventHistory, deletionsBefore, eventCheck } = packed(
      JSON.parse(value) as Json,
    );
    // The check comes last: all parts before it are written by the backend itself, whatever the check holds.
    return JSON.stringify({ history, lastOk, event, eventHistory, deletionsBefore, eventCheck, check });
  },
};

/** Converts the oldest form, which had the event's own check and history inside the event. */
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
