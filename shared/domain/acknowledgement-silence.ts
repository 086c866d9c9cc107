import type { Acknowledgement } from '../schemas/acknowledgement.ts';
import type { Event } from '../schemas/event.ts';
import type { SilencedEntry } from '../schemas/silenced.ts';
import { silencedId } from './silencing.ts';

/* The setting `acknowledge-as-silence`: dashboards that know only silences see acknowledged events as silenced. */

/** The client and the check of an acknowledged event. */
interface EventName {
  readonly client: string;
  readonly check: string;
}

/** Returns the id of the silence that stands for the acknowledgement of an event. */
export function acknowledgementSilenceId({ client, check }: EventName): string {
  return silencedId(`client:${client}`, check);
}

/** Returns the silence that stands for an acknowledgement. It is only shown, and never stored. */
export function acknowledgementSilence(
  { owner, note, at, until }: Acknowledgement,
  { client, check }: EventName,
): SilencedEntry {
  return {
    id: acknowledgementSilenceId({ client, check }),
    subscription: `client:${client}`,
    check,
    reason: note ?? `acknowledged by ${owner}`,
    creator: owner,
    begin: null,
    expireAtMs: until === undefined ? null : until * 1000,
    expire_on_resolve: true,
    timestamp: at,
  };
}

/** Returns an acknowledged event as silenced; any other event stays unchanged. */
export function withAcknowledgementSilence(event: Event): Event {
  if (event.acknowledged === undefined) return event;
  const id = acknowledgementSilenceId({ client: event.client.name, check: event.check.name });
  const others = event.silenced_by.filter((other) => other !== id);
  return { ...event, silenced: true, silenced_by: [...others, id] };
}
