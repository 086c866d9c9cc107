import type { Client } from '../schemas/client.ts';
import type { CheckResult } from '../schemas/result.ts';
import { transientEventState, type EventState } from './event.ts';
import { isSettings } from './merge-settings.ts';

/** The name of the check in the event for a new client (registration event), and of the default handler for it. */
export const REGISTRATION_CHECK = 'registration';

/**
 * Returns the check of the event for a new client. The client's own attributes in `registration` override the defaults
 * (recorded exchange `registration events`).
 *
 * @param now epoch seconds
 */
export function registrationCheck(client: Client, now: number): CheckResult {
  const own = client[REGISTRATION_CHECK];
  const { status, ...attributes } = isSettings(own) ? own : {};
  return {
    handler: REGISTRATION_CHECK,
    status: typeof status === 'number' ? status : 1,
    ...attributes,
    name: REGISTRATION_CHECK,
    output: 'new client registration',
    issued: now,
    executed: now,
  };
}

/** Whether a client requests an event for its registration: it has `registration` attributes. */
export function wantsRegistration(client: Client): boolean {
  return isSettings(client[REGISTRATION_CHECK]);
}

/**
 * Returns the state of a registration event, which has no earlier results. It has two occurrences, as in Sensu Core
 * (legacy-peer, State machine).
 */
export function registrationState(id: string, check: CheckResult, now: number): EventState {
  return transientEventState(id, check, now, 2);
}
