import type { CoreEvent } from '../../schemas/core/event.ts';
import type { HandledEvent } from '../../schemas/handler-job.ts';
import { historyOf } from '../history.ts';
import { coreEntityOf } from './entity.ts';
import { coreEventOf } from './event.ts';
import { coreSubscription } from './subscription.ts';

/** An event as handlers of the newer API get it. */
export type CoreHandledEvent = CoreEvent & Pick<HandledEvent, 'silence_ended'>;

/** The event that a handler is told of, as the newer API shows it; secrets are the business of the caller. */
export function coreHandledEvent(namespace: string, event: HandledEvent): CoreHandledEvent {
  const { client, check: whole, silenced_by: silencedBy, silence_ended: silenceEnded } = event;
  const { history, total_state_change: totalStateChange, ...check } = whole;
  const state = {
    id: event.id,
    action: event.action,
    status: check.status,
    occurrences: event.occurrences,
    watermark: event.occurrences_watermark,
    timestamp: event.timestamp,
    lastStateChange: event.last_state_change,
    lastOk: event.last_ok,
    totalStateChange,
  };
  const shown = coreEventOf({
    id: event.id,
    namespace,
    entity: coreEntityOf(namespace, client),
    check,
    history: historyOf(history.map(Number)),
    state: { event: state, lastOk: event.last_ok },
    silenced: silencedBy.map(coreSilenceId),
  });
  return silenceEnded === true ? { ...shown, silence_ended: true } : shown;
}

/** The check is behind the last colon: its name has none. */
function coreSilenceId(id: string): string {
  const end = id.lastIndexOf(':');
  return `${coreSubscription(id.slice(0, end))}${id.slice(end)}`;
}
