import {
  isSilenced,
  silencedEntry,
  type SilencedIndex,
  type SilencedOfSubscription,
  type SilencedRequest,
} from '../../shared/domain/silencing.ts';
import { familiesOf } from '../../shared/domain/check-family.ts';
import { severityOf, type Severity } from '../../shared/domain/severity.ts';
import { clientSubscription } from '../../shared/domain/subscription.ts';
import type { EventRow } from '../../shared/schemas/feed.ts';
import type { RecentProblems } from '../../shared/schemas/silence-preview.ts';
import { eventKey } from '../../shared/domain/event-key.ts';
import type { SilencedEntry } from '../../shared/schemas/silenced.ts';

/** The effect that a silence would have if it were created now. */
export interface SilencePreview {
  readonly total: number;
  readonly bySeverity: Readonly<Record<Severity, number>>;
  /** Number of the covered events that are already silenced. */
  readonly alreadySilenced: number;
  /**
   * The number and the first few names of the events that the silence would cover although the user did not select
   * them.
   */
  readonly others: { readonly count: number; readonly names: readonly string[] };
  /** Ids of existing silences that cover some of these events: at most `LISTED_NAMES_MAX`, in no particular order. */
  readonly overlaps: readonly string[];
  /** True while the counts are missing: only the backend can compute them, and it has not responded yet. */
  readonly isCounting?: true;
}

/**
 * Returns the preview of a silence with a selector, which only the backend can count. Until the counts arrive, the
 * preview has zeros and `isCounting`.
 */
export function previewFromCounts(events: RecentProblems['events']): SilencePreview {
  const { total = 0, silenced: alreadySilenced = 0, ok = 0, warning = 0, critical = 0, unknown = 0 } = events ?? {};
  const bySeverity = { ok, warning, critical, unknown };
  const preview = { total, bySeverity, alreadySilenced, others: { count: 0, names: [] }, overlaps: [] };
  return events === undefined ? { ...preview, isCounting: true } : preview;
}

/** Maximum number of names and of overlapping silences in a preview. */
const LISTED_NAMES_MAX = 3;

/**
 * Counts the events that the silences would cover, by the same rule as the backend.
 *
 * @param subscriptionsOf callback that returns the subscriptions of a client. If the client's own `client:`
 *   subscription is missing, it is added
 * @param requestedKeys keys of the events that the user selected; other covered events are counted as `others`
 */
export function previewSilence(
  requests: readonly SilencedRequest[],
  events: Iterable<{ readonly row: EventRow }>,
  subscriptionsOf: (client: string) => readonly string[],
  nowMs: number,
  requestedKeys: ReadonlySet<string> = new Set(),
): SilencePreview {
  const bySeverity: Record<Severity, number> = { ok: 0, warning: 0, critical: 0, unknown: 0 };
  let total = 0;
  let alreadySilenced = 0;
  let otherCount = 0;
  const names: string[] = [];
  const overlaps = new Set<string>();
  for (const { row } of matchingEvents(requests, events, subscriptionsOf, nowMs)) {
    total += 1;
    bySeverity[severityOf(row.status)] += 1;
    if (row.silenced_by.length > 0) alreadySilenced += 1;
    for (const id of row.silenced_by) if (overlaps.size < LISTED_NAMES_MAX) overlaps.add(id);
    const key = eventKey(row.client, row.check);
    if (requestedKeys.has(key)) continue;
    otherCount += 1;
    if (names.length < LISTED_NAMES_MAX) names.push(key);
  }
  return { total, bySeverity, alreadySilenced, others: { count: otherCount, names }, overlaps: [...overlaps] };
}

/**
 * Yields the events that the silences would cover, by the same rule as the backend. Only the backend evaluates
 * selectors, so an active silence with a selector yields the events that it covers now.
 */
export function* matchingEvents<Event extends { readonly row: EventRow }>(
  requests: readonly SilencedRequest[],
  events: Iterable<Event>,
  subscriptionsOf: (client: string) => readonly string[],
  nowMs: number,
): Generator<Event, void, undefined> {
  const entries = requests.map((request) => silencedEntry(request, nowMs));
  const index = indexEntries(entries);
  const selecting = new Set(entries.flatMap(({ id, selector }) => (selector === undefined ? [] : id)));
  // Subscriptions that no silence names are dropped here. Most events then have no subscription left and are skipped.
  const named = new Map<string, readonly string[]>();
  for (const event of events) {
    const { client, check, silenced_by: ids } = event.row;
    if (selecting.size > 0 && ids.some((id) => selecting.has(id))) {
      yield event;
      continue;
    }
    let subscriptions = named.get(client);
    if (subscriptions === undefined) {
      subscriptions = addOwnSubscription(client, subscriptionsOf(client)).filter(
        (name) => index.bySubscription(name) !== undefined,
      );
      named.set(client, subscriptions);
    }
    const isNamed = index.byCheck(check) !== undefined || familiesOf(check).length > 0;
    if (subscriptions.length === 0 && !isNamed) continue;
    if (isSilenced(index, subscriptions, check, nowMs)) yield event;
  }
}

/** Age in milliseconds at which a preview is computed again. */
const PREVIEW_MS = 1000;

/**
 * Cache of the last preview of a silence. Counting visits all events, which is too expensive for each key press and
 * frame.
 */
export class PreviewCache {
  #key = '';
  #atMs = 0;
  #preview: SilencePreview | undefined;

  /**
   * Returns the preview of these silences. It is computed again if the silences changed or the preview is a second old.
   */
  previewOf(entries: readonly SilencedRequest[], nowMs: number, count: () => SilencePreview): SilencePreview {
    const key = JSON.stringify(entries);
    if (this.#preview === undefined || key !== this.#key || nowMs - this.#atMs >= PREVIEW_MS) {
      this.#key = key;
      this.#atMs = nowMs;
      this.#preview = count();
    }
    return this.#preview;
  }
}

function addOwnSubscription(client: string, subscriptions: readonly string[]): readonly string[] {
  const own = clientSubscription(client);
  return subscriptions.includes(own) ? subscriptions : [...subscriptions, own];
}

function indexEntries(entries: readonly SilencedEntry[]): SilencedIndex {
  const bySubscription = new Map<string, { all: SilencedEntry | undefined; byCheck: Map<string, SilencedEntry> }>();
  const byCheck = new Map<string, SilencedEntry>();
  for (const entry of entries) {
    if (entry.subscription === null) {
      if (entry.check !== null) byCheck.set(entry.check, entry);
      continue;
    }
    const ofSubscription = bySubscription.get(entry.subscription) ?? { all: undefined, byCheck: new Map() };
    bySubscription.set(entry.subscription, ofSubscription);
    if (entry.check === null) ofSubscription.all = entry;
    else ofSubscription.byCheck.set(entry.check, entry);
  }
  return {
    bySubscription: (subscription): SilencedOfSubscription | undefined => bySubscription.get(subscription),
    byCheck: (check) => byCheck.get(check),
  };
}
