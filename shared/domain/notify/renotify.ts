import type { HandledEvent } from '../../schemas/handler-job.ts';
import { isPendingByInhibition } from './log.ts';
import type { NotificationContext } from './context.ts';
import { respectsSilences, isGroupingHandler, type RoutedHandler } from './route.ts';

/*
 * Notifications that a silence or an inhibition suppressed, and that are sent because it has ended while the problem is
 * still firing.
 */

/**
 * Returns the event that a handler gets: with `silence_ended` or `inhibition_ended` if the silence or the inhibition
 * that suppressed it has ended, and otherwise unchanged.
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
 * True if this notification announces the end of a silence. The silence suppressed a notification, the problem is still
 * firing but not silenced any more, and the setting `renotify-after-silence` is true. A timer or a result may detect
 * the end first, but handlers are notified of it once. A resolution never announces it here.
 */
export function announcesSilenceEnd({
  event,
  notificationLog: log,
  leavesStoredEventUnchanged: isSeparateFromStored,
  renotifiesAfterSilence,
}: NotificationContext): boolean {
  if (isSeparateFromStored === true || !renotifiesAfterSilence || log.pending?.silence !== true) return false;
  return !event.silenced && event.action !== 'resolve';
}

/**
 * True if an inhibition suppressed a notification for a handler and has ended, while the problem is still firing. Only
 * such a handler gets `inhibition_ended`.
 */
function announcesInhibitionEnd(handler: RoutedHandler, context: NotificationContext): boolean {
  const {
    event,
    inhibition,
    leavesStoredEventUnchanged: isSeparateFromStored,
    notificationLog: log,
    findGroupRecord: groupOf,
  } = context;
  if (isSeparateFromStored === true || inhibition !== undefined || event.action === 'resolve') return false;
  return (
    isPendingByInhibition(log, handler.name) ||
    (isGroupingHandler(handler) && groupOf(handler.name)?.wasInhibitedAtFlush === true)
  );
}
