import type { EventState } from '../../../shared/domain/event.ts';
import type { History } from '../../../shared/domain/history.ts';
import { checkRedactKeysOf } from '../../../shared/domain/redact.ts';
import { canBeSilenced, silencedBy } from '../../../shared/domain/silencing.ts';
import type { Event } from '../../../shared/schemas/event.ts';
import type { CheckResult } from '../../../shared/schemas/result.ts';
import type { SilencedEntry } from '../../../shared/schemas/silenced.ts';
import type { CheckEntry, ClientEntry } from '../model/registry/namespace.ts';

/** An event whose handlers may be notified now. It need not be stored. */
export interface Occurrence {
  readonly client: ClientEntry;
  /** The check result with its full output. */
  readonly check: CheckResult;
  readonly state: EventState;
  /** The history, which ends with the status of `check`. */
  readonly history: History;
  /** True if the result is only assumed and did not arrive: the registry does not know it. */
  readonly isAssumed?: boolean;
  /** True if the event opened with this result. */
  readonly isNew?: boolean;
  /**
   * True if the event is judged again after the inhibition rules changed, and the inhibitors under the new rules are
   * known.
   */
  readonly isJudged?: boolean;
}

/** Returns the entry of a stored event; undefined for one that is not stored. */
export function storedEntry({ client, check, state }: Occurrence): CheckEntry | undefined {
  const entry = client.namespace.check(client.name, check.name);
  return entry?.state.event?.id === state.id ? entry : undefined;
}

/**
 * True if the occurrence is the stored event itself. A metric result can be handled while an event of its check is
 * open: that event then stays unchanged, still inhibits others and keeps its pending notifications.
 */
export function isStored(occurrence: Occurrence): boolean {
  return storedEntry(occurrence)?.state.event === occurrence.state;
}

/** True if an occurrence has the id of a stored event but leaves that event unchanged. */
export function isSeparateFromStored(occurrence: Occurrence): boolean {
  const entry = storedEntry(occurrence);
  return entry !== undefined && entry.state.event !== occurrence.state;
}

/** Returns the ids of the entries that silence an event at this moment. */
export function silencesOf(occurrence: Occurrence, nowMs: number): readonly string[] {
  return canBeSilenced(occurrence.state) ? matchingSilences(occurrence, nowMs) : NONE;
}

function matchingSilences(occurrence: Occurrence, nowMs: number): readonly string[] {
  const { client, check } = occurrence;
  return silencedBy(client.namespace.silenced, client.subscriptions, check.name, nowMs, selectedFor(occurrence));
}

/**
 * Returns an event as handlers of the v2 format get it: an OK result that resolves nothing is silenced if entries match
 * it, as the API shows it. The v1 API looks up no silences for it (completion 1.3).
 */
export function eventForV2Handlers(occurrence: Occurrence, event: Event, nowMs: number): Event {
  if (canBeSilenced(occurrence.state)) return event;
  const silencedIds = matchingSilences(occurrence, nowMs);
  return silencedIds.length === 0 ? event : { ...event, silenced: true, silenced_by: silencedIds };
}

/** Returns the silenced entries whose selector matches an event. */
export function selectedFor({ client, check, state, isAssumed }: Occurrence): readonly SilencedEntry[] {
  const { silenced, watched } = client.namespace;
  if (!silenced.hasSelectors) return NONE;
  const entry = client.checks.get(check.name);
  if (entry !== undefined && isAssumed !== true) return entry.selected();
  const facts = watched.check.read(check, checkRedactKeysOf({ redact: client.redact }));
  // A resolving event keeps the severity that it had, as in `CheckEntry.alertStatus`.
  const status = state.status === 0 ? (entry?.alertStatus ?? 0) : state.status;
  return silenced.selectingOnce(client.subject(check.name, facts, status));
}

const NONE: readonly never[] = [];
