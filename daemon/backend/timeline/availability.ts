import { MonError } from '../../../shared/errors.ts';
import {
  availabilityOf,
  joinedSpans,
  silencedSpans,
  stretchesOf,
  sumOf,
  type SilenceTurn,
  type Span,
  type StatusTurn,
  type Stretch,
} from '../../../shared/domain/timeline/availability.ts';
import type { Availability, AvailabilityReport, CheckPast, PastStretch } from '../../../shared/schemas/availability.ts';
import type { ReadStore } from '../ports.ts';
import type { CheckEntry, Namespace } from '../registry/namespace.ts';
import { downFrom, type Source } from './places.ts';
import { checksOnce, silencesIn, type KnownSilences } from './read.ts';
import { indexOfCheck, timeOf } from './table.ts';

/** Maximum number of checks per request, which take about a second. */
const CHECKS_MAX = 10_000;

/** A client and check that may be deleted. */
export interface Place {
  readonly client: string;
  readonly check: string;
}

/** The requested checks of a namespace. */
export interface AskedPlaces {
  readonly client?: string | undefined;
  readonly check?: string | undefined;
  readonly aggregate?: string | undefined;
}

/**
 * @throws MonError `not_found` if there is no such aggregate; `invalid` if the request names nothing, or far too many
 *   checks
 */
export async function placesOf(store: ReadStore, namespace: Namespace, asked: AskedPlaces): Promise<readonly Place[]> {
  const places = await allPlaces(store, namespace, asked);
  if (places.length <= CHECKS_MAX) return places;
  throw new MonError(
    'invalid',
    `${String(places.length)} checks match, but at most ${String(CHECKS_MAX)} are allowed: add the parameter client`,
  );
}

async function allPlaces(
  store: ReadStore,
  namespace: Namespace,
  { client, check, aggregate }: AskedPlaces,
): Promise<readonly Place[]> {
  const isMeant = (place: Place): boolean =>
    (client === undefined || place.client === client) && (check === undefined || place.check === check);
  if (aggregate !== undefined) {
    const found = namespace.aggregates.get(aggregate);
    if (found === undefined) throw new MonError('not_found', `there is no aggregate ${aggregate}`);
    return Array.from(found.members(), placeOfEntry).filter(isMeant);
  }
  if (client !== undefined) {
    const held = namespace.clients.get(client)?.checks.keys() ?? [];
    const names =
      check === undefined ? new Set([...held, ...(await checksOnce(store, namespace.name, client))]) : [check];
    return Array.from(names, (name) => ({ client, check: name }));
  }
  if (check === undefined) throw new MonError('invalid', 'set the parameter client, check or aggregate');
  return Array.from(namespace.clients.values()).flatMap(({ name, checks }) =>
    checks.has(check) ? [{ client: name, check }] : [],
  );
}

function placeOfEntry({ client, name }: CheckEntry): Place {
  return { client: client.name, check: name };
}

/** The part of the timeline that is retained. */
export interface Kept {
  /** Time from which all transitions are retained, epoch milliseconds. */
  readonly sinceMs: number;
  /** Number of transitions retained per check; older ones are erased. */
  readonly perCheck: number;
}

/** Returns the time for which each of these checks was OK, and of all of them together. */
export async function readAvailability(
  store: ReadStore,
  namespace: Namespace,
  places: readonly Place[],
  { span, kept, limit }: { readonly span: Span; readonly kept: Kept; readonly limit: number },
): Promise<AvailabilityReport> {
  const silences = new SilencesOfPast(store, await silencesIn(store, namespace), { span, kept });
  const all: (Place & Availability)[] = [];
  for (const place of places) {
    const quiet = await silences.of(place.client, place.check);
    all.push({ ...place, ...availabilityOf(await stretchesAt(store, namespace, place, { span, kept }), quiet) });
  }
  return {
    since: span.sinceMs,
    until: span.untilMs,
    count: all.length,
    total: sumOf(all),
    checks: all.toSorted(worstFirst).slice(0, limit),
  };
}

/** Maximum number of periods in a response. */
const STRETCHES_MAX = 5000;

/** Returns the history of one check in a span: its statuses, the silenced periods, and its availability. */
export async function readPast(
  store: ReadStore,
  namespace: Namespace,
  place: Place,
  { span, kept }: { readonly span: Span; readonly kept: Kept },
): Promise<CheckPast> {
  const silences = new SilencesOfPast(store, await silencesIn(store, namespace), { span, kept });
  const quiet = await silences.of(place.client, place.check);
  const stretches = await stretchesAt(store, namespace, place, { span, kept });
  return {
    since: span.sinceMs,
    until: span.untilMs,
    stretches: stretches.slice(0, STRETCHES_MAX).toReversed().map(shownStretch),
    silenced: quiet.flatMap(({ sinceMs, untilMs }) => {
      const part = { since: Math.max(sinceMs, span.sinceMs), until: Math.min(untilMs, span.untilMs) };
      return part.since < part.until ? [part] : [];
    }),
    availability: availabilityOf(stretches, quiet),
  };
}

function shownStretch({ sinceMs: since, untilMs: until, status }: Stretch): PastStretch {
  return status === undefined ? { since, until } : { since, until, status };
}

/** Returns the periods from the end of the span to its beginning. */
async function stretchesAt(
  store: ReadStore,
  namespace: Namespace,
  { client, check }: Place,
  { span, kept }: { readonly span: Span; readonly kept: Kept },
): Promise<Stretch[]> {
  const turns: StatusTurn[] = [];
  const source = { namespace: namespace.name, prefix: indexOfCheck(namespace.name, client, check) };
  for await (const { id, text } of downFrom(store, source, Number.MAX_SAFE_INTEGER)) {
    const [was, status] = text.split('>').map((one) => (one === '' ? undefined : Number(one)));
    turns.push({ atMs: timeOf(id), was, status });
    if (timeOf(id) <= span.sinceMs) break;
  }
  const oldest = turns.at(-1);
  // With that number of transitions, older ones may have been erased.
  const isCut = oldest !== undefined && turns.length >= kept.perCheck;
  const keptSinceMs = isCut ? oldest.atMs : kept.sinceMs;
  return stretchesOf(turns, statusOf(namespace.check(client, check)), span, keptSinceMs);
}

/** Returns the status as the list of events shows it: without an event it is OK. */
function statusOf(entry: CheckEntry | undefined): number | undefined {
  if (entry === undefined || entry.state.history.length === 0) return undefined;
  return entry.state.event?.status ?? 0;
}

/** The periods in which silences were active; each silence is read once. */
export class SilencesOfPast {
  readonly #store: ReadStore;
  readonly #known: KnownSilences;
  readonly #about: { readonly span: Span; readonly kept: Kept };
  readonly #spans = new Map<string, readonly Span[]>();

  constructor(store: ReadStore, known: KnownSilences, about: { readonly span: Span; readonly kept: Kept }) {
    this.#store = store;
    this.#known = known;
    this.#about = about;
  }

  /** @returns the periods in order, without overlaps or touching ends */
  async of(client: string, check: string): Promise<readonly Span[]> {
    const all: Span[] = [];
    for (const source of this.#known.of(client, new Set([check]))) all.push(...(await this.#spansOf(source)));
    return all.length === 0 ? all : joinedSpans(all);
  }

  async #spansOf(source: Source): Promise<readonly Span[]> {
    const key = source.prefix.join('\0');
    let spans = this.#spans.get(key);
    if (spans === undefined) this.#spans.set(key, (spans = await this.#read(source)));
    return spans;
  }

  async #read(source: Source): Promise<readonly Span[]> {
    const { span, kept } = this.#about;
    const turns: SilenceTurn[] = [];
    for await (const { id, text } of downFrom(this.#store, source, Number.MAX_SAFE_INTEGER)) {
      turns.push({ atMs: timeOf(id), entry: text === '' ? undefined : inEffect(text) });
      if (timeOf(id) <= span.sinceMs) break;
    }
    return silencedSpans(turns, kept.sinceMs);
  }
}

function inEffect(text: string): { readonly beginMs: number; readonly endMs: number } {
  const { begin, end } = JSON.parse(text) as { readonly begin: number | null; readonly end: number | null };
  return { beginMs: (begin ?? 0) * 1000, endMs: end ?? Infinity };
}

function worstFirst(a: Availability, b: Availability): number {
  return (a.percent ?? Infinity) - (b.percent ?? Infinity) || b.outages - a.outages;
}
