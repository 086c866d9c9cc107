import { historyOf, type History } from '../../../../shared/domain/history.ts';
import type { Migration } from './migration.ts';

type JsonRecord = Readonly<Record<string, unknown>>;

/** The first characters of each check record in the current form. Records in older forms begin with the check. */
const NEWEST_FORM_START = '{"history":{';

/**
 * Converts all check records to the same form. In schema 1 they have three forms, depending on the build that wrote
 * them:
 *
 * - the check first, and the history as a list,
 * - the check first, and the history packed,
 * - the state first, which is the current form.
 *
 * Only the current form can be split without parsing the check, which is the largest field and is copied into lists of
 * events. A starting backend would misread the history in records of the first form.
 */
export const checkRecords: Migration = {
  version: 2,
  name: 'check records',
  prefixes: [['check']],
  rewrite(_key, value) {
    if (value.startsWith(NEWEST_FORM_START)) return value;
    const { check, history, lastOk, event, eventHistory, deletionsBefore, eventCheck } = packOldRecord(
      JSON.parse(value) as JsonRecord,
    );
    // The check comes last, because its content is arbitrary. The fields before it are written by the backend itself.
    return JSON.stringify({ history, lastOk, event, eventHistory, deletionsBefore, eventCheck, check });
  },
};

/**
 * Converts a record of the oldest form, where the event contains its own check and history. Other records are returned
 * unchanged.
 */
function packOldRecord(record: JsonRecord): JsonRecord {
  const { history } = record;
  if (!isStatuses(history)) return record;
  const { check: eventCheck, history: statuses, ...event } = (record['event'] ?? {}) as JsonRecord;
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
