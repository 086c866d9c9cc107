import type { Acknowledgement, AcknowledgementRow, ShownAcknowledgement } from '../schemas/acknowledgement.ts';
import type { Event } from '../schemas/event.ts';
import { statusRank } from './severity.ts';

/** The attributes of a request to acknowledge an event. Times are in epoch seconds. */
export interface AcknowledgeRequest {
  readonly owner: string;
  readonly note?: string | null | undefined;
  /** Number of seconds after which the acknowledgement expires. Without it, it ends when the event resolves. */
  readonly expire?: number | null | undefined;
  /** Time at which the acknowledgement expires. Without it, it ends when the event resolves. */
  readonly expires_at?: number | null | undefined;
  readonly sticky?: boolean | null | undefined;
}

/**
 * Builds the acknowledgement of an event.
 *
 * @param status current status of the event
 * @param now current time in epoch seconds
 */
export function newAcknowledgement(request: AcknowledgeRequest, status: number, now: number): Acknowledgement {
  const { owner, note, expire, expires_at: expiresAt, sticky } = request;
  const until = expiresAt ?? (expire === null || expire === undefined ? undefined : now + expire);
  return {
    owner,
    ...(note !== null && note !== undefined && note !== '' && { note }),
    at: now,
    ...(until !== undefined && { until }),
    ...(sticky === true && { sticky: true }),
    status,
  };
}

/**
 * Returns the acknowledgement of an event after a result with `status`. A status that is worse than the acknowledged
 * one ends the acknowledgement unless it is sticky, because the operator may not know of it (on-call 1).
 */
export function acknowledgementAfterResult(
  acknowledgement: Acknowledgement | undefined,
  status: number,
): Acknowledgement | undefined {
  if (acknowledgement === undefined || acknowledgement.sticky === true) return acknowledgement;
  return statusRank(status) < statusRank(acknowledgement.status) ? undefined : acknowledgement;
}

/** True if an acknowledgement has expired. @param nowMs current time in epoch milliseconds */
export function isAcknowledgementExpired({ until }: Acknowledgement, nowMs: number): boolean {
  return until !== undefined && until * 1000 <= nowMs;
}

/** Returns an acknowledgement as the events of all APIs show it. */
export function shownAcknowledgement({ owner, at, note, until, sticky }: Acknowledgement): ShownAcknowledgement {
  return {
    by: owner,
    at,
    ...(note !== undefined && { note }),
    ...(until !== undefined && { until }),
    ...(sticky !== undefined && { sticky }),
  };
}

/**
 * Converts the acknowledgement in an event back to the form in which it is stored.
 *
 * @param status status of the event
 */
export function storedAcknowledgement({ by, ...shown }: ShownAcknowledgement, status: number): Acknowledgement {
  return { owner: by, ...shown, status };
}

/**
 * Returns an acknowledged event as a row of `GET /api/mon/v1/acknowledgements`.
 *
 * @param status status of the event now
 */
export function acknowledgementRow(
  { owner, at, note, until, sticky }: Acknowledgement,
  client: string,
  check: string,
  status: number,
): AcknowledgementRow {
  return {
    client,
    check,
    owner,
    ...(note !== undefined && { note }),
    acknowledged_at: at,
    expires_at: until ?? null,
    sticky: sticky === true,
    status,
  };
}

/** Returns the text for users that says why handlers are not notified of an acknowledged event. */
export function acknowledgedReason({ by, until, note }: ShownAcknowledgement): string {
  const end = until === undefined ? 'until it resolves' : `until ${new Date(until * 1000).toISOString().slice(0, 19)}Z`;
  return `acknowledged by ${by} ${end}${note === undefined ? '' : ` (${note})`}`;
}

/** Returns the acknowledgement that suppresses notifications of an event. Its resolution is always notified. */
export function suppressingAcknowledgement(event: Event): ShownAcknowledgement | undefined {
  return event.action === 'resolve' || event.check.status === 0 ? undefined : event.acknowledged;
}
