import type { HandledEvent } from '../schemas/handler-job.ts';
import type { SilencedEntry } from '../schemas/silenced.ts';
import { COMPATIBLE_VERSION } from '../schemas/version.ts';
import { counted } from './counted.ts';
import { formatDuration } from './duration.ts';
import { silencedRow } from './silencing.ts';

/** The client under which the backend tells of itself. */
export const BACKEND_CLIENT = 'mon';

/**
 * When it is pointed out that a silence is about to end (spec, reminder 1).
 *
 * @param beforeSeconds how long before its end; 0: never
 * @returns epoch milliseconds; undefined: it never is, or has been
 */
export function reminderAt(
  { begin, timestamp, expireAtMs, run, reminder_sent: reminderSent }: SilencedEntry,
  beforeSeconds: number,
): number | undefined {
  // One that a command holds is always about to end, and is renewed.
  if (beforeSeconds === 0 || expireAtMs === null || run !== undefined || reminderSent !== undefined) return undefined;
  const atMs = expireAtMs - beforeSeconds * 1000;
  // Whoever makes a short one knows that it is short.
  return atMs > Math.max(timestamp, begin ?? 0) * 1000 ? atMs : undefined;
}

/** The name of the check of the event that tells a handler, of the client `mon`. */
const REMINDER = 'silence-reminder';

/**
 * What a handler is told of a silence that is about to end: an event that is stored nowhere, with the silence.
 *
 * @param entry with how many events it keeps quiet
 * @param occasion `now` in epoch seconds
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
      name: REMINDER,
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
  const said = `the silence ${name} ends in ${left} and silences ${counted(events, 'event')}`;
  const why = [creator ?? '', reason ?? ''].filter((text) => text !== '').join(': ');
  return why === '' ? said : `${said} (${why})`;
}
