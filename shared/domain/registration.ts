import type { Client } from '../schemas/client.ts';
import type { CheckResult } from '../schemas/result.ts';
import { pastlessState, type EventState } from './event.ts';
import { isSettings } from './merge-settings.ts';

/** The name of the event that tells of a new client, and of the handler that asks for it. */
export const REGISTRATION = 'registration';

/**
 * The check of the event that tells of a new client: the attributes of the client's own `registration` over the defaults
 * (recorded exchange `registration events`).
 *
 * @param now epoch seconds
 */
export function registrationCheck(client: Client, now: number): CheckResult {
  const own = client[REGISTRATION];
  const { status, ...attributes } = isSettings(own) ? own : {};
  return {
    handler: REGISTRATION,
    status: typeof status === 'number' ? status : 1,
    ...attributes,
    name: REGISTRATION,
    output: 'new client registration',
    issued: now,
    executed: now,
  };
}

/** Whether a client itself asks for the event. */
export function wantsRegistration(client: Client): boolean {
  return isSettings(client[REGISTRATION]);
}

/** The event of a registration, which has no past; that it counts two occurrences is the peer's (legacy-peer, State machine). */
export function registrationState(id: string, check: CheckResult, now: number): EventState {
  return pastlessState(id, check, now, 2);
}
