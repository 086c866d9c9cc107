import { clientSubscription } from '../../shared/domain/subscription.ts';
import type { ClientRow, EventRow } from '../../shared/schemas/feed.ts';
import { nameBeside } from './backend-names.ts';
import type { Known } from './known.ts';
import type { EventCounts } from './event-counts.ts';
import type { EventRegistry } from './event-registry.ts';
import { compareText } from '../../shared/domain/compare-text.ts';

/** Clients whose event of one check became critical lately. */
export interface NewCritical {
  readonly check: string;
  /** The newest of them. */
  readonly client: string;
  /** Epoch seconds: since when the newest is. */
  readonly since: number;
  /** How many there are besides it. */
  readonly others: number;
}

/** Events of clients with a subscription that are neither silenced nor OK. */
export interface ProblemsOf {
  readonly subscription: string;
  readonly critical: number;
  readonly warning: number;
  readonly unknown: number;
}

/** What the overview counts over everything there is. */
export interface OverviewFigures {
  /** The newest first. */
  readonly newCritical: readonly NewCritical[];
  /** The worst first. */
  readonly problems: readonly ProblemsOf[];
  /** Events that each silenced entry keeps quiet, by its id. */
  readonly silencedEvents: ReadonlyMap<string, number>;
}

/** How far back what is new goes. */
const NEW_SECONDS = 600;

/** How old figures may get. */
const FIGURES_MS = 2000;

/** Events and clients that are counted at once: a few milliseconds, so that no key waits for all of them. */
const SLICE = 25_000;

interface Sources {
  readonly events: Pick<EventRegistry, 'records' | 'countsOf'>;
  readonly clients: ReadonlyMap<string, ClientRow>;
}

/** What is counted for the overview. */
export interface Counted {
  readonly figures: FiguresMemory;
}

/** The last figures: counting goes through all events, too much for each frame. */
export class FiguresMemory {
  #figures: OverviewFigures | undefined;
  /** When the counting of the last figures began. */
  #atMs = -Infinity;
  #count: Generator<undefined, OverviewFigures, undefined> | undefined;

  /**
   * The last figures. When they are two seconds old, each call counts one more slice of the next ones; the first ones are
   * counted at once, and again each time while the first snapshot is coming in.
   */
  of({ clients, events, feed, nowMs }: Sources & Pick<Known, 'feed' | 'nowMs'>): OverviewFigures {
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

/** All of it at once. */
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

/** Events may come and go between two slices: then they are counted or not, until the next figures. */
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
  const check = nameBeside(client, name);
  const known = newest.get(check);
  if (known === undefined) newest.set(check, { check, client, since, others: 0 });
  else if (since > known.since) newest.set(check, { check, client, since, others: known.others + 1 });
  else newest.set(check, { ...known, others: known.others + 1 });
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

/** The worst first. */
function compareProblems(a: ProblemsOf, b: ProblemsOf): number {
  return (
    b.critical - a.critical ||
    b.warning - a.warning ||
    b.unknown - a.unknown ||
    compareText(a.subscription, b.subscription)
  );
}
