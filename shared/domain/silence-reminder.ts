import type { HandledEvent } from '../schemas/handler-job.ts';
import type { SilencedEntry } from '../schemas/silenced.ts';
import { COMPATIBLE_VERSION } from '../schemas/version.ts';
import { countWithNoun } from './count-text.ts';
import { formatDuration } from './duration.ts';
import { silencedRow } from './silencing.ts';

/** The name of the client to which events about the backend itself belong. */
export const BACKEND_CLIENT = 'mon';

/**
 * Returns when to send the reminder that a silence is about to end (spec, reminder 1).
 *
 * @param beforeSeconds seconds from the reminder to the end of the silence; 0 if reminders are disabled
 * @returns epoch milliseconds; undefined if no reminder will be sent
 */
export function reminderAt(
  { begin, timestamp, expireAtMs, run, reminder_sent: reminderSent }: SilencedEntry,
  beforeSeconds: number,
): number | undefined {
  // A maintenance silence needs no reminder: it always ends soon, and its command extends it again and again.
  if (beforeSeconds === 0 || expireAtMs === null || run !== undefined || reminderSent !== undefined) return undefined;
  const atMs = expireAtMs - beforeSeconds * 1000;
  // A silence that is shorter than `beforeSeconds` needs no reminder, because its author knows that it is short.
  return atMs > Math.max(timestamp, begin ?? 0) * 1000 ? atMs : undefined;
}

/** The name of the check in the event that reminds of the end of a silence; its client is `mon`. */
const REMINDER_CHECK = 'silence-reminder';

/**
 * Returns the event by which a handler notifies that a silence is about to end. The event is not stored.
 *
 * @param entry the silence, with the number of events that it suppresses
 * @param reminder id of the event, current time in epoch seconds, and name of the handler
 */
export function reminderEvent(
  entry: SilencedEntry,
  { id, now, handler }: { readonly id: string; readonly now: number; readonly handler: string },
): HandledEvent {
  return {
    id,
    client: {
      name: BACKEND_CLIENT,
      address: 'unknown',
      subscriptions: [],
      timestamp: now,
      version: COMPATIBLE_VERSION,
    },
    check: {
      name: REMINDER_CHECK,
      handlers: [handler],
      output: reminderText(entry, now),
      status: 1,
      issued: now,
      executed: now,
      history: ['1'],
      total_state_change: 0,
    },
    occurrences: 1,
    occurrences_watermark: 1,
    last_ok: null,
    action: 'create',
    timestamp: now,
    silenced: false,
    silenced_by: [],
    silence_ending: silencedRow(entry),
  };
}

function reminderText(entry: SilencedEntry, now: number): string {
  const { id, selector, creator, reason, expireAtMs, reminder_sent: reminderSent } = entry;
  const name = selector === undefined ? id : `${id} (${selector})`;
  const left = formatDuration(Math.max(0, (expireAtMs ?? 0) / 1000 - now), 1);
  const events = reminderSent?.events ?? 0;
  const summary = `the silence ${name} ends in ${left} and silences ${countWithNoun(events, 'event')}`;
  const why = [creator ?? '', reason ?? ''].filter((text) => text !== '').join(': ');
  return why === '' ? summary : `${summary} (${why})`;
}
