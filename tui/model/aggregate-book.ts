import type { AggregateSummary, NamedAggregate } from '../../shared/schemas/aggregate.ts';
import { run, type Run, type Tone } from '../text/theme.ts';
import { splitName } from './backend-names.ts';

/** How many percent of the results of an aggregate must be OK. */
export interface AggregateNeeds {
  /** For all that are not named; `none`: whatever there is, is good. */
  readonly default: number | 'none';
  readonly named: ReadonlyMap<string, number | 'none'>;
}

export const DEFAULT_NEEDS: AggregateNeeds = { default: 80, named: new Map() };

/** How often the trend takes a value, and how many it keeps: ten minutes. */
export const TREND_STEP_MS = 10_000;
const TREND_VALUES = 60;

/** An aggregate as it is shown. */
export interface AggregateEntry {
  readonly name: string;
  readonly summary: AggregateSummary;
  /** Percent of its results that are OK; `undefined`: it has none. */
  readonly percent: number | undefined;
  /** Percent that it needs; `undefined`: no threshold. */
  readonly need: number | undefined;
  /** The percents seen by this console, the newest last, one each `TREND_STEP_MS`. */
  readonly trend: readonly number[];
}

/** All aggregates as they were loaded last, with what was seen of them since the console started. */
export class AggregateBook {
  readonly #needs: AggregateNeeds;
  readonly #entries = new Map<string, AggregateEntry>();
  #steppedAtMs = -Infinity;

  constructor(needs: AggregateNeeds) {
    this.#needs = needs;
  }

  get size(): number {
    return this.#entries.size;
  }

  names(): Iterable<string> {
    return this.#entries.keys();
  }

  get(name: string): AggregateEntry | undefined {
    return this.#entries.get(name);
  }

  entries(): Iterable<AggregateEntry> {
    return this.#entries.values();
  }

  /** Takes all aggregates in place of those before; the trend goes on where the name is the same. */
  load(summaries: readonly NamedAggregate[], nowMs: number): void {
    const isStep = nowMs - this.#steppedAtMs >= TREND_STEP_MS;
    if (isStep) this.#steppedAtMs = nowMs;
    const before = new Map(this.#entries);
    this.#entries.clear();
    for (const summary of summaries) {
      const { name } = summary;
      const trend = before.get(name)?.trend ?? [];
      this.#entries.set(name, this.#entry(name, summary, isStep ? grown(trend, percentOf(summary)) : trend));
    }
  }

  /** A summary that was loaded by itself, with the trend of its name. */
  entryOf(name: string, summary: AggregateSummary): AggregateEntry {
    return this.#entry(name, summary, this.#entries.get(name)?.trend ?? []);
  }

  #entry(name: string, summary: AggregateSummary, trend: readonly number[]): AggregateEntry {
    const need = ownNeed(summary) ?? this.#needs.named.get(splitName(name).name) ?? this.#needs.default;
    return { name, summary, percent: percentOf(summary), need: need === 'none' ? undefined : need, trend };
  }
}

/** What the rules of its backend ask for, which tell of it: the strictest of them. */
function ownNeed({ rules = [] }: AggregateSummary): number | undefined {
  const needs = rules.flatMap(({ needs: percent }) => percent ?? []);
  return needs.length === 0 ? undefined : Math.floor(Math.max(...needs));
}

/** Whether less of it is OK than it needs. Without results nothing is known to be wrong. */
export function isBelowNeed({ percent, need }: AggregateEntry): boolean {
  return percent !== undefined && need !== undefined && percent < need;
}

/** Rounded down: `89%` never passes for 90. */
export function percentText({ percent }: AggregateEntry): string {
  return percent === undefined ? '-' : `${String(Math.floor(percent))}%`;
}

/** `✗` below what it needs, `✓` where that is reached, nothing where nobody asks. */
export function aggregateMark(entry: AggregateEntry): { readonly text: string; readonly tone: Tone } {
  if (entry.percent === undefined || entry.need === undefined) return { text: '', tone: 'plain' };
  return isBelowNeed(entry) ? { text: '✗', tone: 'critical' } : { text: '✓', tone: 'ok' };
}

/** `[■■■■■■■■  ]` in exactly this many cells. Full only when everything is OK, empty only when nothing is. */
export function aggregateBar(entry: AggregateEntry, cells: number): readonly Run[] {
  const room = Math.max(0, cells - 2);
  const { percent = 0 } = entry;
  const rounded = Math.floor((percent / 100) * room);
  const filled = percent > 0 ? Math.max(Math.min(1, room), rounded) : 0;
  return [run('['), run('■'.repeat(filled), aggregateMark(entry).tone), run(`${' '.repeat(room - filled)}]`)];
}

function percentOf({ results: { ok, total } }: AggregateSummary): number | undefined {
  return total === 0 ? undefined : (100 * ok) / total;
}

function grown(trend: readonly number[], percent: number | undefined): readonly number[] {
  return percent === undefined ? trend : [...trend.slice(1 - TREND_VALUES), percent];
}
