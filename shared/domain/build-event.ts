import type { Client } from '../schemas/client.ts';
import type { Event } from '../schemas/event.ts';
import type { CheckResult } from '../schemas/result.ts';
import type { EventState } from './event.ts';
import { statusesOf, type History } from './history.ts';

/** What an event is put together from. */
export interface EventParts {
  readonly state: EventState;
  readonly client: Client;
  readonly check: CheckResult;
  /** With the status of `check` at its new end. */
  readonly history: History;
  /** Ids of the silenced entries that match now. */
  readonly silencedBy: readonly string[];
}

/** The whole event, its attributes in the order that existing clients and handlers see (legacy-peer, Event JSON). */
export function buildEvent({ state, client, check, history, silencedBy }: EventParts): Event {
  return {
    id: state.id,
    client,
    check: { ...check, ...checkAdditions(state, history) },
    ...eventCircumstances(state, silencedBy),
  };
}

/** What an event adds to its check. */
export function checkAdditions(
  { totalStateChange }: EventState,
  history: History,
): Pick<Event['check'], 'history' | 'total_state_change'> {
  return { history: statusesOf(history).map(String), total_state_change: totalStateChange };
}

/** The attributes of an event that follow its check. */
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
    silenced: silencedBy.length > 0,
    silenced_by: silencedBy,
  };
}
