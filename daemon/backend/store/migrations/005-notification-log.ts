import { withNotificationLog } from '../../../../shared/schemas/notification-log.ts';
import type { Migration } from './migration.ts';

type Json = Readonly<Record<string, unknown>>;

/**
 * Stores what is recorded about the notifications of an event as one value, its notification log. Schema 4 had four
 * fields for it. Members of groups say what was notified in the same words.
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
        return renamed(value, { untold_since: 'pending_since', turn_at: 'flushed_at', told_at: 'notified_at' });
      case 'handler-group-event':
        return renamed(value, { over: 'resolved', passing: 'transient' });
      case 'handler-group-told':
        return lastNotified(value);
      case 'inhibitor':
        return renamed(value, { mark: 'fingerprint' });
      default:
        return value;
    }
  },
};

/** Most records have no event. One with an event names its state before anything from outside. */
const EVENT = ',"event":{';

function checkRecord(value: string): string {
  if (!value.includes(EVENT)) return value;
  const record = JSON.parse(value) as { readonly event?: Json };
  if (record.event === undefined || 'notifications' in record.event) return value;
  return JSON.stringify({ ...record, event: withNotificationLog(record.event) });
}

/** Renames fields; the others keep their order. */
function renamed(value: string, names: Readonly<Record<string, string>>): string {
  const fields = JSON.parse(value) as Json;
  if (!Object.keys(fields).some((name) => name in names)) return value;
  return JSON.stringify(Object.fromEntries(Object.entries(fields).map(([name, own]) => [names[name] ?? name, own])));
}

/** Converts the last notification of an event in a group: a status, or one of two words. */
function lastNotified(value: string): string {
  if (value === '"again"') return '"renotify"';
  return value === '"held"' ? '"inhibited"' : value;
}
