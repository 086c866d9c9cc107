import { shownAcknowledgement } from './acknowledgement.ts';
import type { Client } from '../schemas/client.ts';
import type { Event } from '../schemas/event.ts';
import type { CheckResult } from '../schemas/result.ts';
import type { EventState } from './event.ts';
import { statusesOf, type History } from './history.ts';

/** The state, client, check and history from which an event of the v1 API is built. */
export interface EventSource {
  readonly state: EventState;
  readonly client: Client;
  readonly check: CheckResult;
  /** Recent statuses of the check; the last one is the status of `check`. */
  readonly history: History;
  /** Ids of the silences that match the event now. */
  readonly silencedBy: readonly string[];
}

/**
 * Builds an event of the v1 API with its attributes in the order that existing clients and handlers expect
 * (legacy-peer, Event JSON).
 */
export function buildEvent({ state, client, check, history, silencedBy }: EventSource): Event {
  return {
    id: state.id,
    client,
    check: { ...check, ...checkAdditions(state, history) },
    ...eventCircumstances(state, silencedBy),
  };
}

/** Returns the attributes that the check in an event has in addition to those of its result. */
export function checkAdditions(
  { totalStateChange }: EventState,
  history: History,
): Pick<Event['check'], 'history' | 'total_state_change'> {
  return { history: statusesOf(history).map(String), total_state_change: totalStateChange };
}

/** Returns the attributes that follow the check in the JSON of an event. */
export function eventCircumstances(
  state: EventState,
  silencedBy: readonly string[],
): Omit<Event, 'id' | 'client' | 'check'> {
  return {
    occurrences: state.occurrences,
    occurrences_watermark: state.watermark,
    last_ok: state.lastOk,
    action: state.action,
    timestamp: state.timestamp,
    ...(state.lastStateChange === undefined ? {} : { last_state_change: state.lastStateChange }),
    ...(state.acknowledgement !== undefined && { acknowledged: shownAcknowledgement(state.acknowledgement) }),
    silenced: silencedBy.length > 0,
    silenced_by: silencedBy,
  };
}
