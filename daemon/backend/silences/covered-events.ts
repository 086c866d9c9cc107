import { eventKey } from '../../../shared/domain/event-key.ts';
import { parseSelector, type SelectorSubject } from '../../../shared/domain/selector.ts';
import { severityOf } from '../../../shared/domain/severity.ts';
import { MonError } from '../../../shared/errors.ts';
import type { RecentProblems } from '../../../shared/schemas/silence-preview.ts';
import type { SilencedTargetAttributes } from '../../../shared/schemas/silenced.ts';
import { checksNamedBy, eventsNamedBy } from '../model/registry/silenced-events.ts';
import { eventsOf, type CheckEntry, type ClientEntry, type Namespace } from '../model/registry/namespace.ts';
import { runInChunks } from '../store/time-slice.ts';
import { SelectorIndex, type IndexedSelector } from '../model/silences/selector-index.ts';

/** Maximum number of silenced events whose names are listed in a preview. */
const LISTED_EVENTS_MAX = 5;

/**
 * Maximum total cost of the selector evaluations for each of the two counts in a preview, see `Selector.cost`. It is
 * about three seconds of CPU time, interleaved with other work. A thousand selectors that name a client or a check cost
 * far less among 100,000 checks.
 */
const PREVIEW_COST_MAX = 100_000_000;

/** Cost of the selector evaluations after which other work can run: less than a millisecond of CPU time. */
const STEP_COST = 5000;

type StepGenerator<Result> = Generator<void, Result, undefined>;

/**
 * Counts the open events that these silences would silence, by severity, and lists the first of them. An event that
 * several silences match counts once.
 *
 * @param costMax maximum total cost of the selector evaluations, see `Selector.cost`
 * @throws MonError `threshold` if the evaluations would cost more
 */
export async function countCoveredEvents(
  namespace: Namespace,
  entries: readonly SilencedTargetAttributes[],
  nowMs: number,
  costMax = PREVIEW_COST_MAX,
): Promise<NonNullable<RecentProblems['events']>> {
  return await runInChunks(countEvents(namespace, entries, nowMs, costMax));
}

function* countEvents(
  namespace: Namespace,
  entries: readonly SilencedTargetAttributes[],
  nowMs: number,
  costMax: number,
): StepGenerator<NonNullable<RecentProblems['events']>> {
  const covered = yield* findCoveredChecks(namespace, entries, eventsNamedBy, eventsOf, costMax);
  const events = { total: 0, critical: 0, warning: 0, unknown: 0, ok: 0, silenced: 0, first: [] as string[] };
  for (const entry of covered) {
    yield* namespace.silenced.prepare(entry);
    yield;
    const { event } = entry.state;
    if (event === undefined) continue;
    events.total++;
    events[severityOf(event.status)]++;
    if (entry.isSilenced(nowMs)) events.silenced++;
    if (events.first.length < LISTED_EVENTS_MAX) events.first.push(eventKey(entry.client.name, entry.name));
  }
  return events;
}

/**
 * Counts the checks on clients that these silences would silence and that have recovered. They have no open event now,
 * and their result was not OK at or after `since`. The attributes of an OK check are not in memory, so a selector that
 * uses them does not match it.
 *
 * @param since epoch seconds
 * @throws MonError `threshold` if the selector evaluations would cost too much
 */
export async function countRecoveredSince(
  namespace: Namespace,
  entries: readonly SilencedTargetAttributes[],
  since: number,
): Promise<number> {
  const isRecovered = ({ lastProblem, state }: CheckEntry): boolean =>
    lastProblem >= since && state.event === undefined;
  function* recoveredOf(client: ClientEntry): Generator<CheckEntry, void, undefined> {
    for (const entry of client.checks.values()) if (isRecovered(entry)) yield entry;
  }
  function* recoveredNamed(
    ...named: Parameters<typeof checksNamedBy>
  ): Generator<CheckEntry | undefined, void, undefined> {
    for (const entry of checksNamedBy(...named)) {
      yield entry !== undefined && isRecovered(entry) ? entry : undefined;
    }
  }
  return (await runInChunks(findCoveredChecks(namespace, entries, recoveredNamed, recoveredOf))).size;
}

/**
 * Returns the checks that silences match, by subscription and check or by selector, each check once. It yields whenever
 * other work can run.
 *
 * @param named callback that returns the checks that a subscription and check match; an undefined element is a step of
 *   the search that found no check
 * @param of callback that returns the checks of a client that the selectors are evaluated for
 * @throws MonError `threshold` if the selector evaluations cost more than `costMax`
 */
function* findCoveredChecks(
  namespace: Namespace,
  entries: readonly SilencedTargetAttributes[],
  named: (namespace: Namespace, subscription: string | null, check: string | null) => Iterable<CheckEntry | undefined>,
  of: (client: ClientEntry) => Iterable<CheckEntry>,
  costMax = PREVIEW_COST_MAX,
): StepGenerator<ReadonlySet<CheckEntry>> {
  const covered = new Set<CheckEntry>();
  const selectors = new SelectorIndex<IndexedSelector>();
  let number = 0;
  for (const { subscription = null, check = null, selector: text } of entries) {
    if (text === undefined || text === null) {
      for (const entry of named(namespace, subscription, check)) {
        if (entry !== undefined) covered.add(entry);
        yield;
      }
      // Yields also after a silence that matches no check, so that other work can run.
      yield;
      continue;
    }
    const selector = parseSelector(text);
    if (selector.kind === 'selector') selectors.add({ number: ++number, selector, isRemoved: false });
    yield;
  }
  if (number === 0) return covered;
  const cost = { spent: 0, ofStep: 0, max: costMax };
  for (const client of namespace.clients.values()) {
    yield;
    for (const entry of of(client)) {
      if (!covered.has(entry) && (yield* isSelected(selectors, entry.subject(), cost))) covered.add(entry);
    }
  }
  return covered;
}

/**
 * Returns true if any of these selectors matches a check.
 *
 * @param cost total cost of the evaluations for all checks so far; this function adds to it
 * @throws MonError `threshold` if the total cost exceeds the maximum
 */
function* isSelected(
  selectors: SelectorIndex<IndexedSelector>,
  subject: SelectorSubject,
  cost: { spent: number; ofStep: number; readonly max: number },
): StepGenerator<boolean> {
  cost.ofStep += LOOK_UP_COST;
  for (const { selector } of selectors.candidates(subject)) {
    cost.ofStep += selector.cost;
    if (cost.ofStep > STEP_COST) {
      cost.spent += cost.ofStep;
      cost.ofStep = 0;
      yield;
    }
    if (cost.spent > cost.max) {
      throw new MonError(
        'threshold',
        'the preview would take too long (limit: preview cost): preview fewer selectors at once, or add a client or a check to each selector',
      );
    }
    if (selector.matches(subject)) return true;
  }
  return false;
}

/** Cost of looking up the selectors that possibly match a check, in the unit of `Selector.cost`. */
const LOOK_UP_COST = 100;
