import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  EMPTY_NOTIFICATION_LOG,
  internNotificationLog,
  isPendingByInhibition,
  mergeNotificationLogs,
  recordNeverNotified,
  recordNotified,
  removeSuppression,
  removePendingHandlers,
  recordInhibited,
  recordSilenced,
  wasHandlerNotified,
} from '../../../../shared/domain/notify/notification-log.ts';
import {
  LOGGED_HANDLERS_MAX,
  notificationLogSchema,
  withNotificationLog,
  type InhibitorRef,
  type NotificationLog,
} from '../../../../shared/schemas/notification-log.ts';

const SWITCH: InhibitorRef = { rule: 'rack', fingerprint: 'f1', client: 'sw-1', check: 'ping', equalHash: 'h' };
const names = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e'));
const manyNames = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 4 }), { minLength: 0, maxLength: 30 });

/** Notification logs that the functions of the module can produce. */
const logs: fc.Arbitrary<NotificationLog> = fc
  .record({ notified: names, inhibited: fc.option(names), isSilenced: fc.boolean(), isNever: fc.boolean() })
  .map(({ notified, inhibited, isSilenced, isNever }) => {
    let log = recordNotified(EMPTY_NOTIFICATION_LOG, notified);
    if (inhibited !== null) log = recordInhibited(log, SWITCH, inhibited);
    if (inhibited !== null && isNever) log = recordNeverNotified(log);
    return isSilenced ? recordSilenced(log) : log;
  });

/** Returns the handlers with a pending notification after a merge with an inhibited event. */
function pendingOf(a: NotificationLog, b: NotificationLog): readonly string[] {
  const { inhibition = [] } = mergeNotificationLogs(a, { ...b, inhibitedBy: SWITCH }, []).pending ?? {};
  return inhibition === 'all' ? ['all'] : [...inhibition].toSorted();
}

describe('the notification log of an event', () => {
  test('settling the notifications that an inhibition left pending restores the log from before the inhibition', () => {
    fc.assert(
      fc.property(manyNames, names, (handlers, notified) => {
        const before = recordNotified(EMPTY_NOTIFICATION_LOG, notified);
        const suppressed = recordInhibited(before, SWITCH, handlers);
        expect(removePendingHandlers(removeSuppression(suppressed, 'inhibition'), handlers)).toEqual(before);
      }),
    );
  });

  test('the notification log keeps every handler with a pending notification, however many handlers there are', () => {
    fc.assert(
      fc.property(manyNames, manyNames, (first, second) => {
        const log = recordInhibited(recordInhibited(EMPTY_NOTIFICATION_LOG, SWITCH, first), SWITCH, second);
        for (const name of [...first, ...second]) expect(isPendingByInhibition(log, name)).toBe(true);
        const { inhibition = [] } = log.pending ?? {};
        expect(inhibition === 'all' ? 0 : inhibition.length).toBeLessThanOrEqual(LOGGED_HANDLERS_MAX);
      }),
    );
  });

  test('merging two notification logs yields the same pending notifications in either order', () => {
    fc.assert(
      fc.property(logs, logs, (first, second) => {
        expect(pendingOf(first, second)).toEqual(pendingOf(second, first));
      }),
    );
  });

  test('a handler that either of two notification logs names as notified counts as notified after their merge', () => {
    fc.assert(
      fc.property(logs, logs, (first, second) => {
        const merged = mergeNotificationLogs(first, second, []);
        for (const name of ['a', 'b', 'c', 'd', 'e']) {
          expect(wasHandlerNotified(merged, name)).toBe(
            wasHandlerNotified(first, name) || wasHandlerNotified(second, name),
          );
        }
      }),
    );
  });

  test('a function that changes nothing returns the same notification log, and equal logs are one object', () => {
    fc.assert(
      fc.property(logs, (log) => {
        const { notified = [], inhibitedBy } = log;
        expect(recordNotified(log, notified === 'all' ? ['x'] : notified)).toBe(log);
        expect(log.pending?.silence === true ? recordSilenced(log) : log).toBe(log);
        const again = JSON.parse(JSON.stringify(log)) as NotificationLog;
        expect(inhibitedBy === undefined ? internNotificationLog(again) : recordInhibited(log, inhibitedBy, [])).toBe(
          log,
        );
      }),
    );
  });
});

describe('an event of schema 4', () => {
  const INHIBITED = { rule: 'rack', mark: 'f1', client: 'sw-1', check: 'ping' };
  test.each<{ readonly name: string; readonly before: object; readonly log: NotificationLog }>([
    { name: 'that nothing suppressed', before: {}, log: { notified: 'all' } },
    { name: 'that a silence suppressed', before: { isSuppressed: true }, log: { pending: { silence: true } } },
    {
      name: 'that was inhibited since it opened',
      before: { isHeld: true, inhibited: { ...INHIBITED, isWithheld: true, withheldFrom: ['mail'], common: 'h' } },
      log: { neverNotified: true, inhibitedBy: SWITCH, pending: { inhibition: ['mail'] } },
    },
    {
      name: 'that was inhibited for more handlers than were recorded',
      before: { inhibited: { ...INHIBITED, isWithheld: true, common: 'h' } },
      log: { inhibitedBy: SWITCH, pending: { inhibition: 'all' } },
    },
    {
      name: 'with a pending notification of an inhibition that ended',
      before: { owed: ['mail'] },
      log: { pending: { inhibition: ['mail'] } },
    },
    {
      name: 'that a silence and an inhibition suppressed',
      before: { isSuppressed: true, inhibited: { ...INHIBITED, common: 'h' } },
      log: { inhibitedBy: SWITCH, pending: { silence: true } },
    },
  ])('an event of schema 4 $name is migrated with a notification log', ({ before, log }) => {
    const event = withNotificationLog({ id: 'e', ...before, recovery: { needs: 2 } });
    expect(event).toEqual({ id: 'e', recovery: { needs: 2 }, notifications: log });
    expect(notificationLogSchema.parse(event['notifications'])).toEqual(log);
    expect(withNotificationLog(event)).toBe(event);
  });
});
