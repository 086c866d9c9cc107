import { clientSubscription } from '../../shared/domain/subscription.ts';
import type { ClientRow, EventRow } from '../../shared/schemas/feed.ts';
import { nameAtSameBackend } from './backend-names.ts';
import type { LiveData } from './live-data.ts';
import type { EventCounts } from './event-counts.ts';
import type { EventRegistry } from './event-registry.ts';
import { compareText } from '../../shared/domain/compare-text.ts';

/** Clients on which one check recently became critical. */
export interface NewCritical {
  readonly check: string;
  /** The newest of these clients. */
  readonly client: string;
  /** Epoch seconds when the newest became critical. */
  readonly since: number;
  /** Number of the other clients. */
  readonly others: number;
}

/** The events of the clients with one subscription that are neither silenced nor OK. */
export interface ProblemsOf {
  readonly subscription: string;
  readonly critical: number;
  readonly warning: number;
  readonly unknown: number;
}

/** The totals that the overview shows. */
export interface OverviewFigures {
  /** The newest first. */
  readonly newCritical: readonly NewCritical[];
  /** The worst first. */
  readonly problems: readonly ProblemsOf[];
  /** Number of events that each silence covers, by its id. */
  readonly silencedEvents: ReadonlyMap<string, number>;
}

/** Age up to which a critical event counts as new. */
const NEW_SECONDS = 600;

/** Maximum age of the figures. */
const FIGURES_MS = 2000;

/**
 * Events and clients that are counted in one chunk: a few milliseconds, so that no key waits for all of them.
 */
const SLICE = 25_000;

interface Sources {
  readonly events: Pick<EventRegistry, 'records' | 'countsOf'>;
  readonly clients: ReadonlyMap<string, ClientRow>;
}

/** The port for the counted figures. */
export interface FiguresSource {
  readonly figures: FiguresMemory;
}

/** The last figures. Counting visits all events, which is too expensive for each frame. */
export class FiguresMemory {
  #figures: OverviewFigures | undefined;
  /** The time when the last count began. */
  #atMs = -Infinity;
  #count: Generator<undefined, OverviewFigures, undefined> | undefined;

  /**
   * Returns the last figures. After two seconds, each call counts one more chunk of the next ones. The first
   * figures are counted at once, and so are those during the first snapshot.
   */
  of({ clients, events, feed, nowMs }: Sources & Pick<LiveData, 'feed' | 'nowMs'>): OverviewFigures {
    if (this.#figures === undefined || !feed.everLive) {
      this.#atMs = nowMs;
      return (this.#figures = overviewFigures(events, clients, nowMs));
    }
    if (this.#count === undefined && Math.abs(nowMs - this.#atMs) >= FIGURES_MS) {
      this.#atMs = nowMs;
      this.#count = countFigures(events, clients, nowMs);
    }
    const step = this.#count?.next();
    if (step?.done === true) {
      this.#count = undefined;
      this.#figures = step.value;
    }
    return this.#figures;
  }
}

/** Counts all figures at once. */
export function overviewFigures(
  events: Sources['events'],
  clients: Sources['clients'],
  nowMs: number,
): OverviewFigures {
  const count = countFigures(events, clients, nowMs);
  let step = count.next();
  while (step.done !== true) step = count.next();
  return step.value;
}

/**
 * Counts the figures in chunks. Events that appear or disappear between two chunks may be counted or not, until
 * the next count.
 */
function* countFigures(
  events: Sources['events'],
  clients: Sources['clients'],
  nowMs: number,
): Generator<undefined, OverviewFigures, undefined> {
  const newest = new Map<string, NewCritical>();
  const silencedEvents = new Map<string, number>();
  const problems = new Map<string, Sum>();
  const newSince = nowMs / 1000 - NEW_SECONDS;
  let counted = 0;
  for (const { row } of events.records()) {
    for (const id of row.silenced_by) silencedEvents.set(id, (silencedEvents.get(id) ?? 0) + 1);
    if (row.status === 2 && row.since >= newSince && row.silenced_by.length === 0) addNewest(newest, row);
    counted += 1;
    if (counted % SLICE === 0) yield;
  }
  for (const client of clients.values()) {
    addProblems(problems, client, events.countsOf(client.name));
    counted += 1;
    if (counted % SLICE === 0) yield;
  }
  return {
    newCritical: [...newest.values()].toSorted((a, b) => b.since - a.since || compareText(a.check, b.check)),
    problems: [...problems.values()].toSorted(compareProblems),
    silencedEvents,
  };
}

function addNewest(newest: Map<string, NewCritical>, { check: name, client, since }: EventRow): void {
  const check = nameAtSameBackend(client, name);
  const existing = newest.get(check);
  if (existing === undefined) newest.set(check, { check, client, since, others: 0 });
  else if (since > existing.since) newest.set(check, { check, client, since, others: existing.others + 1 });
  else newest.set(check, { ...existing, others: existing.others + 1 });
}

function addProblems(
  problems: Map<string, Sum>,
  { name, subscriptions }: ClientRow,
  { critical, warning, unknown }: EventCounts,
): void {
  if (critical + warning + unknown === 0) return;
  const own = clientSubscription(name);
  for (const subscription of subscriptions) {
    if (subscription === own) continue;
    const sum = problems.get(subscription) ?? { subscription, critical: 0, warning: 0, unknown: 0 };
    sum.critical += critical;
    sum.warning += warning;
    sum.unknown += unknown;
    problems.set(subscription, sum);
  }
}

type Sum = { -readonly [Key in keyof ProblemsOf]: ProblemsOf[Key] };

/** Sorts the worst first. */
function compareProblems(a: ProblemsOf, b: ProblemsOf): number {
  return (
    b.critical - a.critical ||
    b.warning - a.warning ||
    b.unknown - a.unknown ||
    compareText(a.subscription, b.subscription)
  );
}
