import type { HandledEvent } from '../../schemas/handler-job.ts';
import { isPending } from './log.ts';
import type { NotificationContext } from './context.ts';
import { heedsSilences, isGrouping, type RoutedHandler } from './route.ts';

/*
 * Notifications that were suppressed, and are sent because the silence or the inhibition has ended while the problem
 * persists.
 */

/** Returns the event as a handler gets it. It says so if its silence or its inhibition has ended. */
export function renotified(handler: RoutedHandler, event: HandledEvent, context: NotificationContext): HandledEvent {
  const usual: HandledEvent =
    endsSilence(context) && heedsSilences(handler) ? { ...context.event, silence_ended: true } : event;
  return endsInhibition(handler, context) ? { ...usual, inhibition_ended: true } : usual;
}

/**
 * True if handlers are notified of the end of a silence: it suppressed the event, which is not silenced now. The clock
 * or a result may notice the end; either way handlers are notified once. A resolution never mentions it here.
 */
export function endsSilence({
  event,
  log,
  isSeparateFromStored,
  renotifiesAfterSilence,
}: NotificationContext): boolean {
  if (isSeparateFromStored === true || !renotifiesAfterSilence || log.pending?.silence !== true) return false;
  return !event.silenced && event.action !== 'resolve';
}

/** True if a handler gets a notification that an inhibition suppressed until now. Only those get `inhibition_ended`. */
function endsInhibition(handler: RoutedHandler, context: NotificationContext): boolean {
  const { event, inhibition, isSeparateFromStored, log, groupOf } = context;
  if (isSeparateFromStored === true || inhibition !== undefined || event.action === 'resolve') return false;
  return isPending(log, handler.name) || (isGrouping(handler) && groupOf(handler.name)?.suppressedAtFlush === true);
}
