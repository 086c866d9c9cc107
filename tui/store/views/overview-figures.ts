import { clientSubscription } from '../../../shared/domain/subscription.ts';
import type { ClientRow } from '../../../shared/schemas/feed.ts';
import type { ConsoleStore } from '../console-store.ts';
import type { EventRegistry } from '../event-registry.ts';
import { compareText } from './table-view.ts';

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

/** The last figures: counting goes through all events, too much for each frame. */
export class FiguresMemory {
  #atMs = -Infinity;
  #figures: OverviewFigures | undefined;

  /** Not older than two seconds; while the first snapshot is coming in always new. */
  of({ clients, events, feed, nowMs }: Pick<ConsoleStore, 'clients' | 'events' | 'feed' | 'nowMs'>): OverviewFigures {
    if (this.#figures !== undefined && Math.abs(nowMs - this.#atMs) < FIGURES_MS) return this.#figures;
    const figures = overviewFigures(events, clients, nowMs);
    this.#atMs = nowMs;
    this.#figures = feed.everLive ? figures : undefined;
    return figures;
  }
}

export function overviewFigures(
  events: Pick<EventRegistry, 'records' | 'countsOf'>,
  clients: ReadonlyMap<string, ClientRow>,
  nowMs: number,
): OverviewFigures {
  const newest = new Map<string, NewCritical>();
  const silencedEvents = new Map<string, number>();
  const newSince = nowMs / 1000 - NEW_SECONDS;
  for (const { row } of events.records()) {
    if (row.silenced_by.length > 0) {
      for (const id of row.silenced_by) silencedEvents.set(id, (silencedEvents.get(id) ?? 0) + 1);
    } else if (row.status === 2 && row.since >= newSince) {
      const known = newest.get(row.check);
      const others = known === undefined ? 0 : known.others + 1;
      const isNewer = known === undefined || row.since > known.since;
      newest.set(
        row.check,
        isNewer ? { check: row.check, client: row.client, since: row.since, others } : { ...known, others },
      );
    }
  }
  return {
    newCritical: [...newest.values()].toSorted((a, b) => b.since - a.since || compareText(a.check, b.check)),
    problems: problemsBySubscription(events, clients),
    silencedEvents,
  };
}

function problemsBySubscription(
  events: Pick<EventRegistry, 'countsOf'>,
  clients: ReadonlyMap<string, ClientRow>,
): readonly ProblemsOf[] {
  const sums = new Map<string, Sum>();
  for (const { name, subscriptions } of clients.values()) {
    const counts = events.countsOf(name);
    if (counts.critical + counts.warning + counts.unknown === 0) continue;
    const own = clientSubscription(name);
    for (const subscription of subscriptions) {
      if (subscription === own) continue;
      const sum = sums.get(subscription) ?? { subscription, critical: 0, warning: 0, unknown: 0 };
      sum.critical += counts.critical;
      sum.warning += counts.warning;
      sum.unknown += counts.unknown;
      sums.set(subscription, sum);
    }
  }
  return [...sums.values()].toSorted(compareProblems);
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
