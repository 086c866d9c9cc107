import { MonError } from '../../../shared/errors.ts';
import {
  availabilityOf,
  joinedSpans,
  silencedSpans,
  statusSpansOf,
  sumOf,
  type SilenceChange,
  type Span,
  type StatusChange,
  type StatusSpan,
} from '../../../shared/domain/timeline/availability.ts';
import { SEVERITIES } from '../../../shared/domain/severity.ts';
import {
  statusCountsOf,
  periodMsOf,
  StatusCounter,
  type StatusCountChange,
} from '../../../shared/domain/timeline/open-over-time.ts';
import type {
  Availability,
  AvailabilityReport,
  OkOverTime,
  CheckHistory,
  StatusPeriod,
} from '../../../shared/schemas/availability.ts';
import type { ReadStore } from '../ports.ts';
import type { CheckEntry, Namespace } from '../model/registry/namespace.ts';
import { newestEntriesOf, type Source } from './sources.ts';
import { pastCheckNames, readSilenceSources, type SilenceSources } from './queries.ts';
import { indexOfCheck, timeOf } from '../model/timeline/storage.ts';

/** Maximum number of checks per request. Reading the history of so many takes about a second. */
const CHECKS_MAX = 10_000;

/** The names of a client and a check; both can have been deleted since. */
export interface PastCheckKey {
  readonly client: string;
  readonly check: string;
}

/** The query parameters that select checks of a namespace; a parameter is undefined if it is not set. */
export interface CheckSelection {
  readonly client?: string | undefined;
  readonly check?: string | undefined;
  readonly aggregate?: string | undefined;
}

/**
 * Returns the checks that a request selects.
 *
 * @throws MonError `not_found` if there is no such aggregate; `invalid` if the request sets none of the parameters, or
 *   selects more than `CHECKS_MAX` checks
 */
export async function selectedChecks(
  store: ReadStore,
  namespace: Namespace,
  selection: CheckSelection,
): Promise<readonly PastCheckKey[]> {
  const checkKeys = await matchingChecks(store, namespace, selection);
  if (checkKeys.length <= CHECKS_MAX) return checkKeys;
  throw new MonError(
    'invalid',
    `${String(checkKeys.length)} checks match, but at most ${String(CHECKS_MAX)} are allowed: add the parameter client`,
  );
}

async function matchingChecks(
  store: ReadStore,
  namespace: Namespace,
  { client, check, aggregate }: CheckSelection,
): Promise<readonly PastCheckKey[]> {
  const isSelected = (checkKey: PastCheckKey): boolean =>
    (client === undefined || checkKey.client === client) && (check === undefined || checkKey.check === check);
  if (aggregate !== undefined) {
    const aggregateEntry = namespace.aggregates.get(aggregate);
    if (aggregateEntry === undefined) throw new MonError('not_found', `there is no aggregate ${aggregate}`);
    return Array.from(aggregateEntry.members(), keyOfEntry).filter(isSelected);
  }
  if (client !== undefined) {
    const currentNames = namespace.clients.get(client)?.checks.keys() ?? [];
    const names =
      check === undefined
        ? new Set([...currentNames, ...(await pastCheckNames(store, namespace.name, client))])
        : [check];
    return Array.from(names, (name) => ({ client, check: name }));
  }
  if (check === undefined) throw new MonError('invalid', 'set the parameter client, check or aggregate');
  return Array.from(namespace.clients.values()).flatMap(({ name, checks }) =>
    checks.has(check) ? [{ client: name, check }] : [],
  );
}

function keyOfEntry({ client, name }: CheckEntry): PastCheckKey {
  return { client: client.name, check: name };
}

/** The limits of the timeline: from which time, and how many transitions per check are retained. */
export interface TimelineRetention {
  /** Time from which transitions are retained, in epoch milliseconds. */
  readonly sinceMs: number;
  /** Maximum number of retained transitions per check. Older transitions are erased. */
  readonly perCheck: number;
}

/**
 * Returns the time that each check spent in each status, and the sums over all checks.
 *
 * @param limit maximum number of checks in the response, lowest availability first
 */
export async function readAvailability(
  store: ReadStore,
  namespace: Namespace,
  checkKeys: readonly PastCheckKey[],
  { span, retention, limit }: { readonly span: Span; readonly retention: TimelineRetention; readonly limit: number },
): Promise<AvailabilityReport> {
  const silences = new SilencesOfPast(store, await readSilenceSources(store, namespace), {
    span,
    retention: retention,
  });
  const all: (PastCheckKey & Availability)[] = [];
  const statuses: (number | undefined)[] = [];
  const changes: StatusCountChange[] = [];
  for (const checkKey of checkKeys) {
    const silenced = await silences.silencedSpansOf(checkKey.client, checkKey.check);
    const stretches = await readStatusSpans(store, namespace, checkKey, { span, retention });
    all.push({ ...checkKey, ...availabilityOf(stretches, silenced) });
    statuses.push(stretches[0]?.status);
    changes.push(...statusChangesOf(stretches));
  }
  return {
    since: span.sinceMs,
    until: span.untilMs,
    count: all.length,
    total: sumOf(all),
    over_time: okOverTime(statuses, changes, span),
    checks: all.toSorted(compareAvailability).slice(0, limit),
  };
}

/** Returns the status changes between periods of one check, both newest first. */
function statusChangesOf(stretches: readonly StatusSpan[]): StatusCountChange[] {
  return stretches
    .slice(0, -1)
    .map(({ sinceMs, status }, index) => ({ atMs: sinceMs, previousStatus: stretches[index + 1]?.status, status }));
}

/**
 * Counts the checks that were OK in each period of a time span.
 *
 * @param statuses the status of each check at the end of the span
 * @param changes the status changes of all checks, in any order
 */
function okOverTime(
  statuses: readonly (number | undefined)[],
  changes: readonly StatusCountChange[],
  span: Span,
): OkOverTime {
  const counter = new StatusCounter(statusCountsOf(statuses), span);
  for (const change of changes.toSorted((a, b) => b.atMs - a.atMs)) counter.add(change);
  const totals = counter.worstOfPeriods(span.sinceMs).map((counts) => {
    const total = counts === undefined ? 0 : SEVERITIES.reduce((sum, severity) => sum + counts[severity], 0);
    return total === 0 ? undefined : { ok: counts?.ok ?? 0, total };
  });
  return {
    period: periodMsOf(span) / 1000,
    ok: totals.map((one) => one?.ok ?? null),
    total: totals.map((one) => one?.total ?? null),
  };
}

/** Maximum number of periods (times with an unchanged status) in a response. */
const STRETCHES_MAX = 5000;

/** Returns the history of one check in a time span: its statuses, the silenced periods, and its availability. */
export async function readPast(
  store: ReadStore,
  namespace: Namespace,
  checkKey: PastCheckKey,
  { span, retention }: { readonly span: Span; readonly retention: TimelineRetention },
): Promise<CheckHistory> {
  const silences = new SilencesOfPast(store, await readSilenceSources(store, namespace), {
    span,
    retention: retention,
  });
  const silenced = await silences.silencedSpansOf(checkKey.client, checkKey.check);
  const stretches = await readStatusSpans(store, namespace, checkKey, { span, retention });
  return {
    since: span.sinceMs,
    until: span.untilMs,
    stretches: stretches.slice(0, STRETCHES_MAX).toReversed().map(shownStretch),
    silenced: silenced.flatMap(({ sinceMs, untilMs }) => {
      const part = { since: Math.max(sinceMs, span.sinceMs), until: Math.min(untilMs, span.untilMs) };
      return part.since < part.until ? [part] : [];
    }),
    availability: availabilityOf(stretches, silenced),
  };
}

function shownStretch({ sinceMs: since, untilMs: until, status }: StatusSpan): StatusPeriod {
  return status === undefined ? { since, until } : { since, until, status };
}

/** Returns the periods of one check in a time span, newest first; the status does not change within a period. */
async function readStatusSpans(
  store: ReadStore,
  namespace: Namespace,
  { client, check }: PastCheckKey,
  { span, retention }: { readonly span: Span; readonly retention: TimelineRetention },
): Promise<StatusSpan[]> {
  const changes: StatusChange[] = [];
  const source = { namespace: namespace.name, prefix: indexOfCheck(namespace.name, client, check) };
  for await (const { id, text } of newestEntriesOf(store, source, Number.MAX_SAFE_INTEGER)) {
    const [was, status] = text.split('>').map((one) => (one === '' ? undefined : Number(one)));
    changes.push({ atMs: timeOf(id), previousStatus: was, status });
    if (timeOf(id) <= span.sinceMs) break;
  }
  const oldest = changes.at(-1);
  // If as many transitions were read as are retained per check, older transitions can have been erased.
  const isCut = oldest !== undefined && changes.length >= retention.perCheck;
  const keptSinceMs = isCut ? oldest.atMs : retention.sinceMs;
  return statusSpansOf(changes, statusOf(namespace.check(client, check)), span, keptSinceMs);
}

/** Returns the current status of a check: 0 if the check has no open event, undefined if it has no results. */
function statusOf(entry: CheckEntry | undefined): number | undefined {
  if (entry === undefined || entry.state.history.length === 0) return undefined;
  return entry.state.event?.status ?? 0;
}

/** Reads the periods in which checks were silenced. The transitions of each silence are read only once. */
export class SilencesOfPast {
  readonly #store: ReadStore;
  readonly #sources: SilenceSources;
  readonly #bounds: { readonly span: Span; readonly retention: TimelineRetention };
  readonly #spans = new Map<string, readonly Span[]>();

  constructor(
    store: ReadStore,
    sources: SilenceSources,
    bounds: { readonly span: Span; readonly retention: TimelineRetention },
  ) {
    this.#store = store;
    this.#sources = sources;
    this.#bounds = bounds;
  }

  /**
   * Returns the periods in which a check of a client was silenced.
   *
   * @returns periods in order; they neither overlap nor touch
   */
  async silencedSpansOf(client: string, check: string): Promise<readonly Span[]> {
    const all: Span[] = [];
    for (const source of this.#sources.sourcesFor(client, new Set([check]))) all.push(...(await this.#spansOf(source)));
    return all.length === 0 ? all : joinedSpans(all);
  }

  async #spansOf(source: Source): Promise<readonly Span[]> {
    const key = source.prefix.join('\0');
    let spans = this.#spans.get(key);
    if (spans === undefined) this.#spans.set(key, (spans = await this.#read(source)));
    return spans;
  }

  async #read(source: Source): Promise<readonly Span[]> {
    const { span, retention } = this.#bounds;
    const changes: SilenceChange[] = [];
    for await (const { id, text } of newestEntriesOf(this.#store, source, Number.MAX_SAFE_INTEGER)) {
      changes.push({ atMs: timeOf(id), entry: text === '' ? undefined : parseSilenceSpan(text) });
      if (timeOf(id) <= span.sinceMs) break;
    }
    return silencedSpans(changes, retention.sinceMs);
  }
}

function parseSilenceSpan(text: string): { readonly beginMs: number; readonly endMs: number } {
  const { begin, end } = JSON.parse(text) as { readonly begin: number | null; readonly end: number | null };
  return { beginMs: (begin ?? 0) * 1000, endMs: end ?? Infinity };
}

function compareAvailability(a: Availability, b: Availability): number {
  return (a.percent ?? Infinity) - (b.percent ?? Infinity) || b.outages - a.outages;
}
