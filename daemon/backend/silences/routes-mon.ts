import { MON_API } from '../../../shared/api/mon.ts';
import { recurrenceOf, recurrenceProblem, shownWindows } from '../../../shared/domain/recurrence.ts';
import { SILENCED_SEARCH } from '../../../shared/domain/list-searches.ts';
import { MonError } from '../../../shared/errors.ts';
import type { ShownWindow, SubmittedRecurrence } from '../../../shared/schemas/recurrence.ts';
import type { RecentProblems } from '../../../shared/schemas/silence-preview.ts';
import type { SilencedDetail, SilencedEntry } from '../../../shared/schemas/silenced.ts';
import type { Store } from '../ports.ts';
import { countCoveredEvents, countRecoveredSince } from './covered-events.ts';
import { loadSelectorAttributes } from '../model/silences/selector-attributes.ts';
import { changesOfSilences, type SilenceDependencies } from './changes.ts';
import { unexpiredEntries, silencedDetail } from './queries.ts';
import { unexpiredEntry } from './commands.ts';
import { bodyValidator, readBody } from '../http/json-body.ts';
import { oneAtATime } from '../http/one-at-a-time.ts';
import { sendList } from '../http/list.ts';
import {
  requestedNamespace,
  requestedNamespaces,
  entriesOf,
  type NamespacedEntry,
} from '../namespaces/request-namespaces.ts';
import { pathName } from '../http/path-name.ts';
import type { MonHandlers } from '../http/route.ts';
import { silencePolicy } from './policy.ts';
import { searchFilter } from '../http/search.ts';

const validateEntry = bodyValidator(MON_API.silence);
const validatePreview = bodyValidator(MON_API.silencePreview);

/** Maximum number of previews that are in progress or waiting; further requests are rejected. */
const PREVIEWS_MAX = 20;

/** A preview includes problems that have recovered within this time before now. */
const RECENT_MS = 24 * 3_600_000;

/**
 * Serves silences in the mon API: lists them with their counters, with an optional search (`?q=`), and previews,
 * creates and clears them.
 */
export function silencedOnMon(
  deps: SilenceDependencies & { readonly store: Store },
): MonHandlers<'silenced' | 'silence' | 'clearSilenced' | 'silencePreview' | 'silencedEntry' | 'silencePolicy'> {
  const { clock, registry, store } = deps;
  const oneByOne = oneAtATime(PREVIEWS_MAX, 'too many previews wait: try again in a few seconds');
  // Checks that recovered before the registry was loaded are unknown, so a preview includes no problems before that
  // time.
  let lastLoad = { generation: registry.generation, sinceMs: clock.now() };
  return {
    silenced: (request, reply, query) => {
      const nowMs = clock.now();
      const where = searchFilter(SILENCED_SEARCH, query, (detail: SilencedDetail) => detail, nowMs);
      const requested = requestedNamespaces(request, deps);
      const entries = entriesOf(requested, ({ silenced }) => unexpiredEntries(silenced.all(), nowMs));
      const shown = ({ namespace, entry }: NamespacedEntry<SilencedEntry>): SilencedDetail =>
        requested.withNamespaceName(silencedDetail(namespace.silenced, entry, nowMs), namespace.name);
      return sendList(request, reply, entries, (some) => some.map(shown), { where });
    },
    ...changesOfSilences(deps, requestedNamespace, validateEntry),
    silencePolicy: () => silencePolicy(deps),
    silencePreview: async (request): Promise<RecentProblems> => {
      const { entries, recurrence } = readBody(request, validatePreview);
      const { name } = requestedNamespace(request, deps);
      const selectors = entries.flatMap(({ selector }) => selector ?? []);
      if (selectors.length > 0) await loadSelectorAttributes(registry, store, name, selectors);
      const namespace = registry.namespace(name);
      const nowMs = clock.now();
      if (lastLoad.generation !== registry.generation) lastLoad = { generation: registry.generation, sinceMs: nowMs };
      const since = Math.floor(Math.max(lastLoad.sinceMs, nowMs - RECENT_MS) / 1000);
      const windows = recurrence ? windowsOf(recurrence, nowMs) : undefined;
      return await oneByOne(async () => ({
        recovered: await countRecoveredSince(namespace, entries, since),
        since,
        events: await countCoveredEvents(namespace, entries, nowMs),
        ...(windows !== undefined && { windows }),
      }));
    },
    silencedEntry: (request): SilencedDetail => {
      const namespace = requestedNamespace(request, deps);
      const id = pathName(request, 'id');
      const entry = unexpiredEntry(namespace, id, clock.now());
      if (entry === undefined) throw new MonError('not_found', `there is no silence ${id}`);
      return silencedDetail(namespace.silenced, entry, clock.now());
    },
  };
}

/** Returns the next windows of a requested recurrence. @throws MonError `invalid` if the recurrence is invalid */
function windowsOf(submitted: SubmittedRecurrence, nowMs: number): ShownWindow[] {
  const recurrence = recurrenceOf(submitted);
  const problem = recurrenceProblem(recurrence, nowMs);
  if (problem !== undefined) throw new MonError('invalid', `recurrence: ${problem}`);
  return shownWindows(recurrence, nowMs);
}
