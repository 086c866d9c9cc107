import type { ApiClient } from '../../shared/client/api-client.ts';
import { undefinedIfNotFound } from '../../shared/client/undefined-if-not-found.ts';
import { targetTextOfId } from '../../shared/domain/silence-name.ts';
import { clientSubscription } from '../../shared/domain/subscription.ts';
import type { AuditRecord } from '../../shared/schemas/audit.ts';
import type { CheckHistory } from '../../shared/schemas/availability.ts';
import { DEFAULT_NAMESPACE } from '../../shared/schemas/namespace.ts';
import type { SeriesResponse } from '../../shared/schemas/series.ts';
import type { TimelineRow } from '../../shared/schemas/timeline.ts';
import { PAST_SPAN_MS } from './past-span.ts';

/** The changes, values and operator actions of an event's check in the last 24 hours, as far as they are recorded. */
export interface EventActivity {
  /** Time at which the data was loaded, in epoch milliseconds. */
  readonly loadedAtMs: number;
  /** The states of the check; `undefined` if the backend has no timeline. */
  readonly past: CheckHistory | undefined;
  /** The duration and the metrics of the check; `undefined` if the backend does not record them. */
  readonly series: SeriesResponse | undefined;
  /** The transitions of the check and of silences on it, the newest first. */
  readonly transitions: readonly TimelineRow[];
  /** The requests to run the check now, the newest first; empty if the user may not read the audit trail. */
  readonly runs: readonly AuditRecord[];
}

/** The API methods that load the activity. */
export type ActivityApi = Pick<ApiClient, 'audit' | 'checkPast' | 'series' | 'timeline'>;

/** Maximum number of transitions and of audit records that are loaded for an event. */
const TRANSITIONS_MAX = 100;
const RECORDS_MAX = 50;

/**
 * Loads the activity of an event's check in the last 24 hours. A part that the backend does not have, or that the
 * user may not read, is empty.
 *
 * @param namespace the namespace of the event. Default: `default`
 */
export async function loadActivity(
  api: ActivityApi,
  { client, check }: { readonly client: string; readonly check: string },
  { nowMs, namespace = DEFAULT_NAMESPACE }: { readonly nowMs: number; readonly namespace: string | undefined },
): Promise<EventActivity> {
  const since = nowMs - PAST_SPAN_MS.day;
  const [past, series, transitions, requests] = await Promise.all([
    undefinedIfNotFound(api.checkPast({ client, check }, { since })).catch(() => undefined),
    undefinedIfNotFound(api.series({ client, check })).catch(() => undefined),
    api.timeline({ client, check, since, limit: TRANSITIONS_MAX }).then(
      (page) => page.transitions,
      (): TimelineRow[] => [],
    ),
    api.audit({ action: 'check.request', since, limit: RECORDS_MAX }).catch((): AuditRecord[] => []),
  ]);
  const target = namespace === DEFAULT_NAMESPACE ? check : `${namespace}/${check}`;
  const runs = requests.filter((record) => record.target === target && isForClient(record, client));
  return { loadedAtMs: nowMs, past, series, transitions, runs };
}

/** Returns whether an audit record is about a request to run a check on this client, or on all its subscribers. */
function isForClient({ after }: AuditRecord, client: string): boolean {
  const subscribers = typeof after === 'object' && after !== null && 'subscribers' in after ? after.subscribers : null;
  return !Array.isArray(subscribers) || subscribers.includes(clientSubscription(client));
}

/** An action of a user on the check of an event, such as a silence. Its text is not safe for a terminal. */
export interface OperatorAction {
  /** Time of the action in epoch milliseconds. */
  readonly atMs: number;
  readonly text: string;
}

/** Returns the actions of users on the check of an event, the newest first. */
export function operatorActions({ transitions, runs }: EventActivity): readonly OperatorAction[] {
  const changes = transitions.flatMap((row) => {
    const text = changeText(row);
    return text === undefined ? [] : [{ atMs: row.at, text }];
  });
  const requests = runs.map((record) => ({ atMs: record.at, text: `${whoText(record)} requested a run` }));
  return [...changes, ...requests].toSorted((a, b) => b.atMs - a.atMs);
}

/** Returns what a user did in this transition; `undefined` if it was caused by a result or by time. */
function changeText({ kind, by, creator, reason, silence }: TimelineRow): string | undefined {
  const who = by ?? creator ?? 'somebody';
  switch (kind) {
    case 'silence':
      return `${who} silenced ${silence === undefined ? 'it' : targetTextOfId(silence)}${reason === undefined ? '' : `: ${reason}`}`;
    case 'clear':
      return `${who} ended the silence on ${silence === undefined ? 'it' : targetTextOfId(silence)}`;
    case 'resolve':
      return by === undefined ? undefined : `${by} resolved the event`;
    case 'remove':
      return by === undefined ? undefined : `${by} deleted the result`;
    default:
      return undefined;
  }
}

function whoText({ who, on_behalf_of: other }: AuditRecord): string {
  return other === undefined ? who : `${who} for ${other}`;
}
