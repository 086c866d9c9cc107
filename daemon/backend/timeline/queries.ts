import type { Filter } from '../http/filter.ts';
import type { TimelinePage, TimelineRow, Transition } from '../../../shared/schemas/timeline.ts';
import { parseSelector, type Selector, type SelectorSubject } from '../../../shared/domain/selector.ts';
import { clientSubscription } from '../../../shared/domain/subscription.ts';
import type { ReadStore } from '../ports.ts';
import type { Namespace } from '../model/registry/namespace.ts';
import { TimeSlice } from '../store/time-slice.ts';
import { distinctNamesBelow, newestOf, type SourceEntry, type Source } from './sources.ts';
import {
  CHECK_INDEX_PREFIX,
  indexOfCheck,
  indexOfSelector,
  indexOfSilence,
  reverseId,
  selectorInKeyPart,
  SILENCE_INDEX_PREFIX,
  timelineOf,
  timeOf,
  TIMELINE_PREFIX,
} from '../model/timeline/storage.ts';

/** Maximum number of transitions that are read for one page. Reading so many takes some tenths of a second. */
export const EXAMINED_MAX = 20_000;

/** Number of transitions that are read from the store in one request. */
const CHUNK_TRANSITIONS = 100;

/** Maximum number of checks and silences of a client whose transitions are merged into one timeline. */
const SOURCES_MAX = 1000;

/** The query for a page of the timeline. */
export interface PageQuery {
  readonly sources: readonly Source[];
  /** The page contains only transitions whose id is lower than this id. */
  readonly beforeId: number;
  readonly sinceMs: number;
  readonly limit: number;
  /** The page contains only transitions that match this filter; undefined if it contains all transitions. */
  readonly filter: Filter<TimelineRow> | undefined;
  readonly shown: (row: TimelineRow, namespace: string) => TimelineRow;
}

/**
 * Returns a page of transitions, newest first. The page ends early if too many transitions would have to be read.
 *
 * @param examinedMax number of read transitions after which the page ends
 */
export async function readPage(
  store: ReadStore,
  query: PageQuery,
  examinedMax = EXAMINED_MAX,
): Promise<Omit<TimelinePage, 'retained_since'>> {
  const { sources, beforeId, sinceMs, limit, filter, shown } = query;
  const transitions: TimelineRow[] = [];
  let examined = 0;
  let next: number | null = null;
  const timeSlice = new TimeSlice();
  for await (const chunk of chunksOf(newestOf(store, sources, beforeId), sinceMs)) {
    for (const { id, source, transition } of await readTransitions(store, chunk)) {
      const row = shown({ id, at: timeOf(id), ...transition }, source.namespace);
      if (filter === undefined || filter(row)) transitions.push(row);
      next = id;
      if (transitions.length >= limit) return { transitions, next };
    }
    examined += chunk.length;
    if (examined >= examinedMax) return { transitions, next: chunk.at(-1)?.id ?? next };
    await timeSlice.share();
  }
  return { transitions, next: null };
}

/** Splits pages of entries into chunks. Ends before the first entry that is older than `sinceMs`. */
async function* chunksOf(
  pages: AsyncIterable<readonly SourceEntry[]>,
  sinceMs: number,
): AsyncGenerator<readonly SourceEntry[], void> {
  for await (const page of pages) {
    for (let start = 0; start < page.length; start += CHUNK_TRANSITIONS) {
      const chunk = page.slice(start, start + CHUNK_TRANSITIONS);
      const tooOld = chunk.findIndex(({ id }) => timeOf(id) < sinceMs);
      if (tooOld !== 0) yield tooOld === -1 ? chunk : chunk.slice(0, tooOld);
      if (tooOld !== -1) return;
    }
  }
}

/**
 * Returns the transitions that the entries of sources refer to. Transitions that were erased in the meantime are
 * omitted.
 */
async function readTransitions(
  store: ReadStore,
  chunk: readonly SourceEntry[],
): Promise<(SourceEntry & { readonly transition: Transition })[]> {
  const hasTransitions = chunk.every(({ source }) => source.prefix[0] === TIMELINE_PREFIX);
  const texts = hasTransitions
    ? chunk.map(({ text }) => text)
    : await store.getMany(chunk.map(({ source, id }) => [...timelineOf(source.namespace), reverseId(id)]));
  return chunk.flatMap((entry, at) => {
    const text = texts[at];
    return text === undefined ? [] : [{ ...entry, transition: JSON.parse(text) as Transition }];
  });
}

/** Returns the key ranges (sources) of all transitions in some namespaces. */
export function sourcesOfAll(namespaces: readonly Namespace[]): Source[] {
  return namespaces.map(({ name }) => ({ namespace: name, prefix: timelineOf(name) }));
}

/**
 * Returns the key ranges (sources) with the transitions of a client and of the silences that match it.
 *
 * @param check name of the only requested check; if undefined, all checks of the client are included
 */
export async function sourcesOfClient(
  store: ReadStore,
  namespace: Namespace,
  client: string,
  check: string | undefined,
): Promise<Source[]> {
  const { name } = namespace;
  const checks = check === undefined ? await pastCheckNames(store, name, client) : [check];
  const silences = await readSilenceSources(store, namespace);
  return [
    ...checks.map((one) => ({ namespace: name, prefix: indexOfCheck(name, client, one) })),
    ...silences.sourcesFor(client, new Set(checks)),
  ].slice(0, SOURCES_MAX);
}

/** Returns the names of the checks that a client has or once had, at most `SOURCES_MAX`. */
export async function pastCheckNames(store: ReadStore, namespace: string, client: string): Promise<string[]> {
  const checks: string[] = [];
  for await (const check of distinctNamesBelow(store, [CHECK_INDEX_PREFIX, namespace, client])) {
    checks.push(check);
    if (checks.length >= SOURCES_MAX) break;
  }
  return checks;
}

/**
 * Returns the current subscriptions of a client. If the client was deleted, returns only the subscription that contains
 * its name.
 */
export function currentSubscriptions({ clients }: Namespace, client: string): readonly string[] {
  return clients.get(client)?.subscriptions ?? [clientSubscription(client)];
}

/** Finds the current and past silences that match a client. */
export interface SilenceSources {
  /**
   * Returns the key ranges (sources) of the silences that match any of these checks of a client. The current attributes
   * of the client decide.
   */
  sourcesFor(client: string, checks: ReadonlySet<string>): Source[];
}

/**
 * Reads the index of current and past silences in a namespace. A silence with a subscription is found by its
 * subscription, any other by its check or selector.
 */
export async function readSilenceSources(store: ReadStore, namespace: Namespace): Promise<SilenceSources> {
  const { name } = namespace;
  const checksBySubscription = new Map<string, string[]>();
  const selectors: Selector[] = [];
  let count = 0;
  for await (const subscription of distinctNamesBelow(store, [SILENCE_INDEX_PREFIX, name])) {
    const checks: string[] = [];
    checksBySubscription.set(subscription, checks);
    for await (const check of distinctNamesBelow(store, [SILENCE_INDEX_PREFIX, name, subscription])) {
      count++;
      const text = selectorInKeyPart(check);
      const selector = text === undefined ? undefined : parseSelector(text);
      if (selector === undefined) checks.push(check);
      else if (selector.kind === 'selector') selectors.push(selector);
    }
    if (count >= SILENCES_MAX) break;
  }
  return {
    sourcesFor(client, checks) {
      const prefixes = ['', ...currentSubscriptions(namespace, client)].flatMap((subscription) =>
        (checksBySubscription.get(subscription) ?? []).flatMap((check) =>
          check === '' || checks.has(check) ? [indexOfSilence(name, subscription, check)] : [],
        ),
      );
      const subjects =
        selectors.length === 0 ? [] : Array.from(checks, (check) => currentSubject(namespace, client, check));
      const selecting = selectors.filter(({ matches }) => subjects.some(matches));
      return [...prefixes, ...selecting.map(({ text }) => indexOfSelector(name, text))].map((prefix) => ({
        namespace: name,
        prefix,
      }));
    },
  };
}

/**
 * Returns the attributes of a check that selectors are matched against, as they are now. The client or the check can
 * have been deleted.
 */
export function currentSubject(namespace: Namespace, client: string, check: string): SelectorSubject {
  const owner = namespace.clients.get(client);
  if (owner !== undefined) return owner.checks.get(check)?.subject() ?? owner.subject(check);
  const subscriptions = currentSubscriptions(namespace, client);
  return { namespace: namespace.name, client, check, subscriptions, attribute: () => [] };
}

/** Maximum number of silences that are read per namespace. A site with more silences has many similar ones. */
const SILENCES_MAX = 10_000;
