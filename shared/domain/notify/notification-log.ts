import {
  LOGGED_HANDLERS_MAX,
  type HandlerSet,
  type InhibitorRef,
  type NotificationLog,
} from '../../schemas/notification-log.ts';

/*
 * Functions that change the notification log of an event. If nothing changes, they return the same object, and the
 * caller need not write the event. All logs without fields are the same object.
 */

export const EMPTY_NOTIFICATION_LOG: NotificationLog = Object.freeze({});

/** Records in the log of an event that a silence suppressed a notification. That notification is then pending. */
export function recordSilenced(log: NotificationLog): NotificationLog {
  return log.pending?.silence === true
    ? log
    : withoutEmptyFields({ ...log, pending: { ...log.pending, silence: true } });
}

/**
 * Updates the log of an inhibited event: sets its inhibitor, and adds the handlers for which the inhibition suppressed
 * a notification. For these handlers, a notification is then pending.
 *
 * @param handlers the handlers that would be notified of the event without the inhibition
 */
export function recordInhibited(
  log: NotificationLog,
  inhibitor: InhibitorRef,
  handlers: readonly string[],
): NotificationLog {
  const inhibition = addHandlers(log.pending?.inhibition, handlers);
  if (isSameInhibitor(log.inhibitedBy, inhibitor) && inhibition === log.pending?.inhibition) return log;
  return withoutEmptyFields({ ...log, inhibitedBy: inhibitor, pending: { ...log.pending, inhibition } });
}

/**
 * Records in the log of an event that no silence, or no inhibition, suppresses the event any more. For a silence, this
 * also removes the pending notification. For an inhibition, the pending notifications stay in the log, and the event no
 * longer counts as never notified.
 */
export function removeSuppression(log: NotificationLog, cause: 'silence' | 'inhibition'): NotificationLog {
  if (cause === 'silence') {
    return log.pending?.silence === undefined
      ? log
      : withoutEmptyFields({ ...log, pending: { ...log.pending, silence: undefined } });
  }
  if (log.inhibitedBy === undefined && log.neverNotified === undefined) return log;
  return withoutEmptyFields({ ...log, inhibitedBy: undefined, neverNotified: undefined });
}

/**
 * Removes the pending notifications for these handlers from the log of an event whose inhibition has ended. If the log
 * has `all` instead of the names of handlers, removes the pending notifications for all handlers.
 */
export function removePendingHandlers(log: NotificationLog, handlers: readonly string[]): NotificationLog {
  const before = log.pending?.inhibition;
  if (before === undefined) return log;
  // A single name cannot be removed from `all`. Removing all names is nearly always right, because the results of one
  // check usually name the same handlers.
  const remaining = before === 'all' ? [] : before.filter((name) => !handlers.includes(name));
  if (remaining.length === before.length) return log;
  return withoutEmptyFields({ ...log, pending: { ...log.pending, inhibition: remaining } });
}

/** Records in the log of an event that these handlers were notified of the problem. */
export function recordNotified(log: NotificationLog, handlers: readonly string[]): NotificationLog {
  const notified = addHandlers(log.notified, handlers);
  return notified === log.notified ? log : withoutEmptyFields({ ...log, notified });
}

/** Marks the log of an event that was inhibited when it opened: no handler has been notified of the event. */
export function recordNeverNotified(log: NotificationLog): NotificationLog {
  return log.neverNotified === true ? log : withoutEmptyFields({ ...log, neverNotified: true });
}

/** True if a notification for a handler is pending because an inhibition suppressed it. */
export function isPendingByInhibition({ pending }: NotificationLog, handler: string): boolean {
  return includesHandler(pending?.inhibition, handler);
}

/** True if the notification log of an event records that a handler was notified of the problem. */
export function wasHandlerNotified({ notified }: NotificationLog, handler: string): boolean {
  return includesHandler(notified, handler);
}

/**
 * Merges the notification logs of the two open events that a renamed check has under its old and its new name. The
 * merged log has the silence and the inhibitor from the log under the new name. A handler that was notified under
 * either name counts as notified.
 *
 * @param before the log of the event under the old name
 * @param after the log of the event under the new name
 * @param routed the names of the handlers that the last result was routed to
 */
export function mergeNotificationLogs(
  before: NotificationLog,
  after: NotificationLog,
  routed: readonly string[],
): NotificationLog {
  const merged = withoutEmptyFields({
    notified: unionOfHandlers(before.notified, after.notified),
    neverNotified: before.neverNotified === true ? after.neverNotified : undefined,
    inhibitedBy: after.inhibitedBy,
    pending: {
      silence: after.pending?.silence,
      inhibition: unionOfHandlers(before.pending?.inhibition, after.pending?.inhibition),
    },
  });
  return after.inhibitedBy === undefined ? removePendingHandlers(merged, routed) : merged;
}

function includesHandler(handlers: HandlerSet | undefined, name: string): boolean {
  return handlers === 'all' || handlers?.includes(name) === true;
}

/** Returns the union of two sets of handlers; `all` if it has more than 20 names, undefined if both are undefined. */
export function unionOfHandlers(a: HandlerSet | undefined, b: HandlerSet | undefined): HandlerSet | undefined {
  return b === 'all' ? 'all' : addHandlers(a, b ?? []);
}

/**
 * Adds handlers to a set. Returns the same object if the set already has all names, and `all` if it would have more
 * than 20 names.
 */
function addHandlers(handlers: HandlerSet | undefined, names: readonly string[]): HandlerSet | undefined {
  if (handlers === 'all') return handlers;
  const newNames = names.filter((name) => handlers?.includes(name) !== true);
  if (newNames.length === 0) return handlers;
  const all = [...new Set([...(handlers ?? []), ...newNames])];
  return all.length <= LOGGED_HANDLERS_MAX ? all : 'all';
}

function isSameInhibitor(a: InhibitorRef | undefined, b: InhibitorRef): boolean {
  return (
    a?.rule === b.rule &&
    a.fingerprint === b.fingerprint &&
    a.client === b.client &&
    a.check === b.check &&
    a.equalHash === b.equalHash
  );
}

/** Returns a log without its empty fields. Equal logs share one object if possible. */
function withoutEmptyFields({ notified, neverNotified, inhibitedBy, pending = {} }: NotificationLog): NotificationLog {
  const inhibition = pending.inhibition?.length === 0 ? undefined : pending.inhibition;
  const isAnyPending = pending.silence !== undefined || inhibition !== undefined;
  const log: NotificationLog = {
    ...(notified !== undefined && { notified }),
    ...(neverNotified !== undefined && { neverNotified }),
    ...(inhibitedBy !== undefined && { inhibitedBy }),
    ...(isAnyPending && {
      pending: {
        ...(pending.silence !== undefined && { silence: pending.silence }),
        ...(inhibition && { inhibition }),
      },
    }),
  };
  return internNotificationLog(log);
}

/**
 * Maximum number of distinct notification logs that are interned: events with equal logs share one object in memory.
 * When the limit is reached, an event with another log gets an object of its own.
 */
const SHARED_NOTIFICATION_LOGS_MAX = 1000;
const sharedLogs = new Map<string, NotificationLog>();

/**
 * Returns the same object for equal logs, in order to save memory: most open events have one of a few different logs. A
 * log with an inhibitor is returned unchanged.
 */
export function internNotificationLog(log: NotificationLog): NotificationLog {
  if (log.inhibitedBy !== undefined) return log;
  const key = JSON.stringify(log);
  if (key === '{}') return EMPTY_NOTIFICATION_LOG;
  const sharedLog = sharedLogs.get(key);
  if (sharedLog !== undefined) return sharedLog;
  if (sharedLogs.size < SHARED_NOTIFICATION_LOGS_MAX) sharedLogs.set(key, log);
  return log;
}
