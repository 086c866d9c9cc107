import { TIMELINE_SEARCH } from '../../../shared/domain/timeline/search.ts';
import type { Span } from '../../../shared/domain/timeline/availability.ts';
import { MonError } from '../../../shared/errors.ts';
import type { TimelineRow } from '../../../shared/schemas/timeline.ts';
import { oneAtATime } from '../http/one-at-a-time.ts';
import { pathName } from '../http/path-name.ts';
import type { MonHandlers } from '../http/route.ts';
import { searchFilter } from '../http/search.ts';
import { requestedNamespace, requestedNamespaces } from '../namespaces/request-namespaces.ts';
import type { Clock, Store } from '../ports.ts';
import type { Registry } from '../model/registry/registry.ts';
import { selectedChecks, readAvailability, readPast, type TimelineRetention } from './availability.ts';
import { readPage, sourcesOfAll, sourcesOfClient } from './queries.ts';
import { lastIdOf } from '../model/timeline/storage.ts';

const ROWS_DEFAULT = 100;
const ROWS_MAX = 1000;
const DAY_MS = 86_400_000;

/** Maximum number of timeline searches that are waiting or running. */
const SEARCHES_MAX = 20;

interface TimelineDependencies {
  readonly registry: Registry;
  readonly store: Store;
  readonly clock: Clock;
}

/**
 * Serves the timeline of checks and silences (spec, timeline). It is read from the store, so a follower can respond
 * too.
 */
export function timelineOnMon(deps: TimelineDependencies): MonHandlers<'timeline' | 'checkPast' | 'availability'> {
  const { registry, store, clock } = deps;
  const oneByOne = oneAtATime(SEARCHES_MAX, 'too many searches of the timeline wait: try again in a few seconds');
  return {
    timeline: async (request, _reply, { client, check, since = 0, until, after, limit = ROWS_DEFAULT, q }) => {
      const { namespaces, withNamespaceName: placed } = requestedNamespaces(request, deps);
      const sources =
        client === undefined
          ? sourcesOfAll(namespaces)
          : (await Promise.all(namespaces.map((one) => sourcesOfClient(store, one, client, check)))).flat();
      const search = searchFilter<TimelineRow, TimelineRow>(TIMELINE_SEARCH, { q }, (row) => row, clock.now());
      const isOfCheck = (row: TimelineRow): boolean =>
        client !== undefined || check === undefined || row.check === check;
      const read = (): ReturnType<typeof readPage> =>
        readPage(store, {
          sources,
          beforeId: Math.min(after ?? Infinity, lastIdOf(Math.min(until ?? Infinity, END_MS)) + 1),
          sinceMs: since,
          limit: Math.max(1, Math.min(limit, ROWS_MAX)),
          filter: (row) => isOfCheck(row) && (search === undefined || search(row)),
          shown: placed,
        });
      // A page without a filter is complete after a few reads, so it is not queued.
      const isSearch = search !== undefined || (client === undefined && check !== undefined);
      const page = await (isSearch ? oneByOne(read) : read());
      return { ...page, retained_since: registry.timeline.keptSince(clock.now()) };
    },

    checkPast: async (request, _reply, { since, until }) => {
      const checkKey = { client: pathName(request, 'client'), check: pathName(request, 'check') };
      return readPast(store, requestedNamespace(request, deps), checkKey, spanAndRetention(deps, since, until));
    },

    availability: async (request, _reply, { client, check, aggregate, since, until, limit = ROWS_DEFAULT }) => {
      const namespace = requestedNamespace(request, deps);
      const bounds = spanAndRetention(deps, since, until);
      const checkKeys = await selectedChecks(store, namespace, { client, check, aggregate });
      return readAvailability(store, namespace, checkKeys, { ...bounds, limit: Math.min(limit, ROWS_MAX) });
    },
  };
}

/**
 * Returns the requested time span, ending now at the latest, and the limits of the retained timeline.
 *
 * @throws MonError `invalid` if the span is empty
 */
function spanAndRetention(
  { registry: { timeline }, clock }: Pick<TimelineDependencies, 'registry' | 'clock'>,
  since: number | undefined,
  until = Infinity,
): { readonly span: Span; readonly retention: TimelineRetention } {
  const untilMs = Math.min(until, clock.now());
  const sinceMs = since ?? untilMs - DAY_MS;
  if (sinceMs >= untilMs) throw new MonError('invalid', 'since must be before until, and before now');
  return {
    span: { sinceMs, untilMs },
    retention: { sinceMs: timeline.keptSince(clock.now()) ?? untilMs, perCheck: timeline.limits.perCheck },
  };
}

/** The maximum time that a timeline id can encode, in epoch milliseconds. */
const END_MS = Math.floor(Number.MAX_SAFE_INTEGER / 1000) - 1;
