import type { EventState } from '../../../shared/domain/event.ts';
import type { History } from '../../../shared/domain/history.ts';
import { checkRedactKeysOf } from '../../../shared/domain/redact.ts';
import { canBeSilenced, silencedByIds } from '../../../shared/domain/silencing.ts';
import type { Event } from '../../../shared/schemas/event.ts';
import type { CheckResult } from '../../../shared/schemas/result.ts';
import type { SilencedEntry } from '../../../shared/schemas/silenced.ts';
import type { AcknowledgementEnd } from '../../../shared/domain/notify/notification-context.ts';
import type { CheckEntry, ClientEntry } from '../model/registry/namespace.ts';

/**
 * One occurrence of an event, such as the arrival of a result. Handlers may be notified of each occurrence. Some events
 * are never stored, such as those of metric checks.
 */
export interface Occurrence {
  readonly client: ClientEntry;
  /** The check result with its full output. */
  readonly check: CheckResult;
  readonly state: EventState;
  /** The status history of the check; its last status is that of `check`. */
  readonly history: History;
  /** True if the result is only simulated. The registry then does not contain its effects. */
  readonly isSimulated?: boolean;
  /** True if no event of the check was open before this result. */
  readonly isNewEvent?: boolean;
  /** Set if the acknowledgement of the event has just ended while the problem still fires. */
  readonly acknowledgementEnd?: AcknowledgementEnd | undefined;
  /**
   * True if the event is evaluated again because the inhibition rules changed, and not because of a new result. The
   * inhibitors under the new rules are already recorded, so they need not be recorded again.
   */
  readonly isReevaluated?: boolean;
}

/** Returns the check entry whose open event has the id of this occurrence; undefined if there is none. */
export function entryOfStoredEvent({ client, check, state }: Occurrence): CheckEntry | undefined {
  const entry = client.namespace.check(client.name, check.name);
  return entry?.state.event?.id === state.id ? entry : undefined;
}

/**
 * True if the occurrence is the stored open event of its check. False, for example, for a metric result that arrives
 * while an event is open. The open event then stays unchanged, still inhibits others and keeps its pending
 * notifications.
 */
export function isStoredEvent(occurrence: Occurrence): boolean {
  return entryOfStoredEvent(occurrence)?.state.event === occurrence.state;
}

/** True if an occurrence has the id of the open event of its check, but leaves that event unchanged. */
export function leavesStoredEventUnchanged(occurrence: Occurrence): boolean {
  const entry = entryOfStoredEvent(occurrence);
  return entry !== undefined && entry.state.event !== occurrence.state;
}

/**
 * Returns the ids of the active silences that match an event. The list is empty for an OK event that resolves nothing,
 * because such an event cannot be silenced.
 */
export function activeSilenceIds(occurrence: Occurrence, nowMs: number): readonly string[] {
  return canBeSilenced(occurrence.state) ? matchingSilenceIds(occurrence, nowMs) : NO_SILENCE_IDS;
}

function matchingSilenceIds(occurrence: Occurrence, nowMs: number): readonly string[] {
  const { client, check } = occurrence;
  return silencedByIds(
    client.namespace.silenced,
    client.subscriptions,
    check.name,
    nowMs,
    silencesBySelector(occurrence),
  );
}

/**
 * Returns the event to send to handlers with the v2 event format. An OK event that resolves nothing is silenced for
 * these handlers if active silences match it, as in the API. For all other handlers, such an event is never silenced
 * (completion 1.3).
 */
export function eventForV2Handlers(occurrence: Occurrence, event: Event, nowMs: number): Event {
  if (canBeSilenced(occurrence.state)) return event;
  const silenceIds = matchingSilenceIds(occurrence, nowMs);
  return silenceIds.length === 0 ? event : { ...event, silenced: true, silenced_by: silenceIds };
}

/** Returns the silences whose selector matches an event, whether or not they are active. */
export function silencesBySelector({ client, check, state, isSimulated }: Occurrence): readonly SilencedEntry[] {
  const { silenced, watched } = client.namespace;
  if (!silenced.hasSelectors) return NO_SILENCE_IDS;
  const entry = client.checks.get(check.name);
  if (entry !== undefined && isSimulated !== true) return entry.selected();
  const facts = watched.check.read(check, checkRedactKeysOf({ redact: client.redact }));
  // For selectors, a resolved event has the severity of its problem, as in `CheckEntry.alertStatus`.
  const status = state.status === 0 ? (entry?.alertStatus ?? 0) : state.status;
  return silenced.selectingOnce(client.subject(check.name, facts, status));
}

const NO_SILENCE_IDS: readonly never[] = [];
