import type { HandledEvent } from '../../schemas/handler-job.ts';
import { isPendingByInhibition } from './notification-log.ts';
import type { NotificationContext } from './notification-context.ts';
import { respectsSilences, isGroupingHandler, type RoutedHandler } from './route.ts';

/*
 * Marks notifications after a silence or an inhibition has ended. An event gets `silence_ended` or `inhibition_ended`
 * if an earlier notification of it was suppressed and its problem still fires.
 */

/**
 * Returns the event to send to a handler. The event has `silence_ended` or `inhibition_ended` if a silence or an
 * inhibition suppressed an earlier notification of the event and has ended since. It has `acknowledgement_expired` or
 * `acknowledgement_ended` if its acknowledgement has just ended.
 */
export function eventForHandler(
  handler: RoutedHandler,
  event: HandledEvent,
  context: NotificationContext,
): HandledEvent {
  const eventAfterSilence: HandledEvent =
    announcesSilenceEnd(context) && respectsSilences(handler) ? { ...context.event, silence_ended: true } : event;
  const eventAfterInhibition: HandledEvent = announcesInhibitionEnd(handler, context)
    ? { ...eventAfterSilence, inhibition_ended: true }
    : eventAfterSilence;
  switch (context.acknowledgementEnd) {
    case 'expired':
      return { ...eventAfterInhibition, acknowledgement_expired: true };
    case 'worse':
      return { ...eventAfterInhibition, acknowledgement_ended: true };
    case undefined:
      return eventAfterInhibition;
  }
}

/**
 * True if a notification of an event must have `silence_ended`: a silence suppressed an earlier notification, and the
 * event still fires and is no longer silenced. Always false if the setting `renotify-after-silence` is false. A timer
 * or a new result may detect the end of the silence; handlers are notified only once.
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
 * True if a notification for a handler must have `inhibition_ended`: an inhibition suppressed an earlier notification
 * for this handler and has ended, and the problem still fires.
 */
function announcesInhibitionEnd(handler: RoutedHandler, context: NotificationContext): boolean {
  const { event, inhibition, leavesStoredEventUnchanged, notificationLog, findGroupRecord } = context;
  if (leavesStoredEventUnchanged === true || inhibition !== undefined || event.action === 'resolve') return false;
  return (
    isPendingByInhibition(notificationLog, handler.name) ||
    (isGroupingHandler(handler) && findGroupRecord(handler.name)?.wasInhibitedAtFlush === true)
  );
}
