import { isEscalating } from '../../shared/domain/notify/is-escalating.ts';
import { severityOf } from '../../shared/domain/severity.ts';
import { clientSubscription } from '../../shared/domain/subscription.ts';
import type { ShownEscalation } from '../../shared/schemas/escalation.ts';
import type { ClientRow, EventRow } from '../../shared/schemas/feed.ts';
import { nameAtSameBackend } from './backend-names.ts';
import type { LiveData } from './live-data.ts';
import type { EventCounts } from './event-counts.ts';
import type { EventRegistry } from './event-registry.ts';
import { compareNextSteps, nextEscalation } from '../words/escalation-text.ts';
import { compareText } from '../../shared/domain/compare-text.ts';

/** A check that recently became critical on one or more clients. */
export interface NewCritical {
  readonly check: string;
  /** The client on which the check became critical last. */
  readonly client: string;
  /** Epoch seconds when the check became critical on `client`. */
  readonly since: number;
  /** Number of other clients on which the check recently became critical. */
  readonly others: number;
}

/** The numbers of open problems of one moment. */
export interface OpenCounts {
  readonly critical: number;
  readonly warning: number;
  readonly unknown: number;
}

/** The numbers of events of all clients with one subscription; silenced and OK events are not counted. */
export interface SubscriptionProblems {
  readonly subscription: string;
  readonly critical: number;
  readonly warning: number;
  readonly unknown: number;
}

/** The figures that the overview counts from events and clients. */
export interface OverviewFigures {
  /** Numbers of open problems by severity. Silenced and inhibited problems are included, as in the history. */
  readonly open: OpenCounts;
  /** The checks that recently became critical, those with the most clients first. */
  readonly newCritical: readonly NewCritical[];
  /** The events by subscription, the worst subscription first. */
  readonly problems: readonly SubscriptionProblems[];
  /** Number of events that each silence covers now, by the id of the silence. */
  readonly silencedEvents: ReadonlyMap<string, number>;
  /** The escalations that have a further step, the one with the earliest step first. Paused escalations come last. */
  readonly escalating: readonly EscalatingEvent[];
}

/** An open event with the escalation of it that notifies somebody next. */
export interface EscalatingEvent {
  readonly client: string;
  readonly check: string;
  readonly escalation: ShownEscalation;
}

/** Age in seconds up to which a critical event counts as new. */
const NEW_SECONDS = 600;

/** Age in milliseconds at which the figures are counted again. */
const FIGURES_MS = 2000;

/**
 * Number of events and clients that are counted in one chunk. A chunk takes a few milliseconds, so that no key press
 * waits for the whole count.
 */
const SLICE_ROWS = 25_000;

interface FigureSources {
  readonly events: Pick<EventRegistry, 'records' | 'countsOf' | 'newestState'>;
  readonly clients: ReadonlyMap<string, ClientRow>;
}

/** An object that provides the figures of the overview. */
export interface FiguresSource {
  readonly figures: FiguresCache;
}

/** Cache of the overview figures. Counting visits all events, which is too expensive for each frame. */
export class FiguresCache {
  #figures: OverviewFigures | undefined;
  /** Epoch milliseconds when the console last began to count the figures. */
  #atMs = -Infinity;
  #count: Generator<undefined, OverviewFigures, undefined> | undefined;

  /**
   * Returns the last figures. When they are two seconds old, each call counts one more chunk of the next figures.
   * Before the first figures and until the first snapshot is complete, a call counts everything at once.
   */
  figuresOf({ clients, events, feed, nowMs }: FigureSources & Pick<LiveData, 'feed' | 'nowMs'>): OverviewFigures {
    if (this.#figures === undefined || !feed.hasBeenLive) {
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

/** Counts all figures of the overview at once. */
export function overviewFigures(
  events: FigureSources['events'],
  clients: FigureSources['clients'],
  nowMs: number,
): OverviewFigures {
  const count = countFigures(events, clients, nowMs);
  let step = count.next();
  while (step.done !== true) step = count.next();
  return step.value;
}

/**
 * Counts the figures in chunks. Events that appear or disappear between two chunks are possibly counted wrong until the
 * next count.
 */
function* countFigures(
  events: FigureSources['events'],
  clients: FigureSources['clients'],
  nowMs: number,
): Generator<undefined, OverviewFigures, undefined> {
  const newest = new Map<string, NewCritical>();
  const silencedEvents = new Map<string, number>();
  const problems = new Map<string, ProblemSum>();
  const escalating: EscalatingEvent[] = [];
  const open = { ok: 0, critical: 0, warning: 0, unknown: 0 };
  const newSince = nowMs / 1000 - NEW_SECONDS;
  let counted = 0;
  for (const record of events.records()) {
    const { row } = record;
    const escalation = nextEscalation(events.newestState(record).escalations);
    if (escalation !== undefined && isEscalating(escalation)) {
      escalating.push({ client: row.client, check: row.check, escalation });
    }
    open[severityOf(row.status)] += 1;
    for (const id of row.silenced_by) silencedEvents.set(id, (silencedEvents.get(id) ?? 0) + 1);
    if (row.status === 2 && row.since >= newSince && row.silenced_by.length === 0) addNewest(newest, row);
    counted += 1;
    if (counted % SLICE_ROWS === 0) yield;
  }
  for (const client of clients.values()) {
    addProblems(problems, client, events.countsOf(client.name));
    counted += 1;
    if (counted % SLICE_ROWS === 0) yield;
  }
  return {
    open,
    newCritical: [...newest.values()].toSorted(
      (a, b) => b.others - a.others || b.since - a.since || compareText(a.check, b.check),
    ),
    problems: [...problems.values()].toSorted(compareProblems),
    silencedEvents,
    escalating: escalating.toSorted(
      (a, b) => compareNextSteps(a.escalation, b.escalation) || compareText(a.client, b.client),
    ),
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
  problems: Map<string, ProblemSum>,
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

type ProblemSum = { -readonly [Key in keyof SubscriptionProblems]: SubscriptionProblems[Key] };

/** Compares subscriptions for sorting: the one with more critical, then warning, then unknown events comes first. */
function compareProblems(a: SubscriptionProblems, b: SubscriptionProblems): number {
  return (
    b.critical - a.critical ||
    b.warning - a.warning ||
    b.unknown - a.unknown ||
    compareText(a.subscription, b.subscription)
  );
}
