import type { HandledEvent } from '../../schemas/handler-job.ts';
import { isPendingByInhibition } from './notification-log.ts';
import type { NotificationContext } from './notification-context.ts';
import { respectsSilences, isGroupingHandler, type RoutedHandler } from './route.ts';

/*
 * Marks notifications that are sent because a silence or an inhibition has ended. It had suppressed an earlier
 * notification of a problem that is still firing.
 */

/**
 * Returns an event as a handler gets it. If a silence or an inhibition suppressed an earlier notification and has
 * ended, the event has `silence_ended` or `inhibition_ended`.
 */
export function eventForHandler(
  handler: RoutedHandler,
  event: HandledEvent,
  context: NotificationContext,
): HandledEvent {
  const eventAfterSilence: HandledEvent =
    announcesSilenceEnd(context) && respectsSilences(handler) ? { ...context.event, silence_ended: true } : event;
  return announcesInhibitionEnd(handler, context)
    ? { ...eventAfterSilence, inhibition_ended: true }
    : eventAfterSilence;
}

/**
 * True if this notification must announce that a silence has ended. The silence suppressed an earlier notification, the
 * problem is still firing but no longer silenced, and the setting `renotify-after-silence` is true. Either a timer or a
 * result detects the end first; handlers are notified of it once. Always false for a resolution.
 */
export function announcesSilenceEnd({
  event,
  notificationLog,
  leavesStoredEventUnchanged,
  renotifiesAfterSilence,
}: NotificationContext): boolean {
  if (leavesStoredEventUnchanged === true || !renotifiesAfterSilence || notificationLog.pending?.silence !== true)
    return false;
  return !event.silenced && event.action !== 'resolve';
}

/**
 * True if an inhibition suppressed a notification for a handler and has ended, while the problem is still firing. Only
 * such a handler gets `inhibition_ended`.
 */
function announcesInhibitionEnd(handler: RoutedHandler, context: NotificationContext): boolean {
  const { event, inhibition, leavesStoredEventUnchanged, notificationLog, findGroupRecord } = context;
  if (leavesStoredEventUnchanged === true || inhibition !== undefined || event.action === 'resolve') return false;
  return (
    isPendingByInhibition(notificationLog, handler.name) ||
    (isGroupingHandler(handler) && findGroupRecord(handler.name)?.wasInhibitedAtFlush === true)
  );
}
