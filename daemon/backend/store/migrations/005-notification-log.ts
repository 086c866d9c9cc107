import { withNotificationLog } from '../../../../shared/schemas/notification-log.ts';
import type { Migration } from './migration.ts';

type JsonRecord = Readonly<Record<string, unknown>>;

/**
 * Combines the four fields that schema 4 has for the notifications of an event into one value, the notification log. It
 * also gives current names to fields and values in the records of notification groups and inhibitors.
 */
export const notificationLog: Migration = {
  version: 5,
  name: 'notification log',
  prefixes: [['check'], ['handler-group'], ['handler-group-event'], ['handler-group-told'], ['inhibitor']],
  rewrite([kind], value) {
    switch (kind) {
      case 'check':
        return checkRecord(value);
      case 'handler-group':
        return renameFields(value, { untold_since: 'pending_since', turn_at: 'flushed_at', told_at: 'notified_at' });
      case 'handler-group-event':
        return renameFields(value, { over: 'resolved', passing: 'transient' });
      case 'handler-group-told':
        return lastNotified(value);
      case 'inhibitor':
        return renameFields(value, { mark: 'fingerprint' });
      default:
        return value;
    }
  },
};

/** Text that each check record with an event contains. Most records do not contain it, and are not parsed. */
const EVENT_JSON_START = ',"event":{';

function checkRecord(value: string): string {
  if (!value.includes(EVENT_JSON_START)) return value;
  const record = JSON.parse(value) as { readonly event?: JsonRecord };
  if (record.event === undefined || 'notifications' in record.event) return value;
  return JSON.stringify({ ...record, event: withNotificationLog(record.event) });
}

/** Renames fields of a JSON object, without changing the order of its fields. */
function renameFields(value: string, names: Readonly<Record<string, string>>): string {
  const fields = JSON.parse(value) as JsonRecord;
  if (!Object.keys(fields).some((name) => name in names)) return value;
  return JSON.stringify(Object.fromEntries(Object.entries(fields).map(([name, own]) => [names[name] ?? name, own])));
}

/**
 * Converts the record of the last notification about an event in a group. It renames two words; a numeric status stays
 * unchanged.
 */
function lastNotified(value: string): string {
  if (value === '"again"') return '"renotify"';
  return value === '"held"' ? '"inhibited"' : value;
}
