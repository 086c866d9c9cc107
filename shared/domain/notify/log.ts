import {
  LOGGED_HANDLERS_MAX,
  type HandlerSet,
  type InhibitorRef,
  type NotificationLog,
} from '../../schemas/notification-log.ts';

/*
 * The notification log of an event. All functions return the same object if nothing changes, so that nothing is
 * written, and the empty log instead of one without fields.
 */

export const EMPTY_LOG: NotificationLog = Object.freeze({});

/** Records that a silence suppressed a notification. */
export function suppressBySilence(log: NotificationLog): NotificationLog {
  return log.pending?.silence === true ? log : logOf({ ...log, pending: { ...log.pending, silence: true } });
}

/**
 * Records that an inhibition suppresses an event.
 *
 * @param handlers the handlers that it would have notified
 */
export function suppressByInhibition(
  log: NotificationLog,
  inhibitor: InhibitorRef,
  handlers: readonly string[],
): NotificationLog {
  const inhibition = union(log.pending?.inhibition, handlers);
  if (isSameInhibitor(log.inhibitedBy, inhibitor) && inhibition === log.pending?.inhibition) return log;
  return logOf({ ...log, inhibitedBy: inhibitor, pending: { ...log.pending, inhibition } });
}

/** Records that a silence or an inhibition no longer suppresses the event. Its pending notifications stay. */
export function release(log: NotificationLog, by: 'silence' | 'inhibition'): NotificationLog {
  if (by === 'silence') {
    return log.pending?.silence === undefined
      ? log
      : logOf({ ...log, pending: { ...log.pending, silence: undefined } });
  }
  if (log.inhibitedBy === undefined && log.neverNotified === undefined) return log;
  return logOf({ ...log, inhibitedBy: undefined, neverNotified: undefined });
}

/** Removes handlers from those with a pending notification of an inhibition that ended. */
export function settlePending(log: NotificationLog, handlers: readonly string[]): NotificationLog {
  const before = log.pending?.inhibition;
  if (before === undefined) return log;
  // `all` cannot be reduced by names. A result names nearly all handlers that it ever notifies.
  const left = before === 'all' ? [] : before.filter((name) => !handlers.includes(name));
  if (left.length === before.length) return log;
  return logOf({ ...log, pending: { ...log.pending, inhibition: left } });
}

/** Records that handlers were notified of the problem. */
export function recordNotified(log: NotificationLog, handlers: readonly string[]): NotificationLog {
  const notified = union(log.notified, handlers);
  return notified === log.notified ? log : logOf({ ...log, notified });
}

/** Records that no handler was notified since the event opened. */
export function recordNeverNotified(log: NotificationLog): NotificationLog {
  return log.neverNotified === true ? log : logOf({ ...log, neverNotified: true });
}

/** True if a handler has a pending notification because of an inhibition. */
export function isPending({ pending }: NotificationLog, handler: string): boolean {
  return isIn(pending?.inhibition, handler);
}

/** True if a handler was notified of the problem. */
export function wasNotified({ notified }: NotificationLog, handler: string): boolean {
  return isIn(notified, handler);
}

/**
 * Joins the logs of an event that was open under two names. The later one decides whether the event is suppressed. A
 * handler that was notified under either name is notified of the resolution.
 *
 * @param routed the handlers of the last result
 */
export function merge(before: NotificationLog, after: NotificationLog, routed: readonly string[]): NotificationLog {
  const merged = logOf({
    notified: unionOf(before.notified, after.notified),
    neverNotified: before.neverNotified === true ? after.neverNotified : undefined,
    inhibitedBy: after.inhibitedBy,
    pending: {
      silence: after.pending?.silence,
      inhibition: unionOf(before.pending?.inhibition, after.pending?.inhibition),
    },
  });
  return after.inhibitedBy === undefined ? settlePending(merged, routed) : merged;
}

function isIn(handlers: HandlerSet | undefined, name: string): boolean {
  return handlers === 'all' || handlers?.includes(name) === true;
}

/** Returns the handlers of both sets. */
export function unionOf(a: HandlerSet | undefined, b: HandlerSet | undefined): HandlerSet | undefined {
  return b === 'all' ? 'all' : union(a, b ?? []);
}

/** Returns the same set if it has all these names. */
function union(handlers: HandlerSet | undefined, names: readonly string[]): HandlerSet | undefined {
  if (handlers === 'all') return handlers;
  const fresh = names.filter((name) => handlers?.includes(name) !== true);
  if (fresh.length === 0) return handlers;
  const all = [...new Set([...(handlers ?? []), ...fresh])];
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

/** Builds a log without empty fields. */
function logOf({ notified, neverNotified, inhibitedBy, pending = {} }: NotificationLog): NotificationLog {
  const inhibition = pending.inhibition?.length === 0 ? undefined : pending.inhibition;
  const isWaiting = pending.silence !== undefined || inhibition !== undefined;
  const log: NotificationLog = {
    ...(notified !== undefined && { notified }),
    ...(neverNotified !== undefined && { neverNotified }),
    ...(inhibitedBy !== undefined && { inhibitedBy }),
    ...(isWaiting && {
      pending: {
        ...(pending.silence !== undefined && { silence: pending.silence }),
        ...(inhibition && { inhibition }),
      },
    }),
  };
  return interned(log);
}

/** Most shared logs; more distinct ones are not shared. */
const SHARED_MAX = 1000;
const shared = new Map<string, NotificationLog>();

/**
 * Returns one object for all equal logs without an inhibition. Most events have one of few logs, so a hundred thousand
 * open events share a few objects.
 */
export function interned(log: NotificationLog): NotificationLog {
  if (log.inhibitedBy !== undefined) return log;
  const key = JSON.stringify(log);
  if (key === '{}') return EMPTY_LOG;
  const present = shared.get(key);
  if (present !== undefined) return present;
  if (shared.size < SHARED_MAX) shared.set(key, log);
  return log;
}
