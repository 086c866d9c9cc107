import type { AggregateSummary, NamedAggregate } from '../../shared/schemas/aggregate.ts';
import { run, type Run, type Tone } from '../text/theme.ts';
import { splitName } from './backend-names.ts';

/** The percentages of results that must be OK in aggregates. */
export interface AggregateNeeds {
  /** The percentage for aggregates without an entry in `named`; `none` means that there is no threshold. */
  readonly default: number | 'none';
  readonly named: ReadonlyMap<string, number | 'none'>;
}

export const DEFAULT_NEEDS: AggregateNeeds = { default: 80, named: new Map() };

/** Interval and number of the values of a trend: ten minutes. */
export const TREND_STEP_MS = 10_000;
const TREND_VALUES = 60;

/** An aggregate with its threshold and trend. */
export interface AggregateEntry {
  readonly name: string;
  readonly summary: AggregateSummary;
  /** Percentage of its results that are OK; `undefined` without results. */
  readonly percent: number | undefined;
  /** Required percentage; `undefined` if there is no threshold. */
  readonly need: number | undefined;
  /** The percentages that this console has seen, the newest last, one each `TREND_STEP_MS`. */
  readonly trend: readonly number[];
}

/** All aggregates of the last load, with their trends since the console started. */
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

  /** Replaces all aggregates; a trend continues if the name stays the same. */
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

  /** Returns an entry for a summary that was loaded separately, with the trend of its name. */
  entryOf(name: string, summary: AggregateSummary): AggregateEntry {
    return this.#entry(name, summary, this.#entries.get(name)?.trend ?? []);
  }

  #entry(name: string, summary: AggregateSummary, trend: readonly number[]): AggregateEntry {
    const need = ownNeed(summary) ?? this.#needs.named.get(splitName(name).name) ?? this.#needs.default;
    return { name, summary, percent: percentOf(summary), need: need === 'none' ? undefined : need, trend };
  }
}

/** Returns the strictest threshold of the backend's rules for the aggregate, if it sends any. */
function ownNeed({ rules = [] }: AggregateSummary): number | undefined {
  const needs = rules.flatMap(({ needs: percent }) => percent ?? []);
  return needs.length === 0 ? undefined : Math.floor(Math.max(...needs));
}

/** Returns whether the aggregate is below its threshold. Without results no problem is known. */
export function isBelowNeed({ percent, need }: AggregateEntry): boolean {
  return percent !== undefined && need !== undefined && percent < need;
}

/** Returns the percentage rounded down, so that `89%` never passes for 90. */
export function percentText({ percent }: AggregateEntry): string {
  return percent === undefined ? '-' : `${String(Math.floor(percent))}%`;
}

/** Returns `✗` below the threshold, `✓` at or above it, and nothing without a threshold. */
export function aggregateMark(entry: AggregateEntry): { readonly text: string; readonly tone: Tone } {
  if (entry.percent === undefined || entry.need === undefined) return { text: '', tone: 'plain' };
  return isBelowNeed(entry) ? { text: '✗', tone: 'critical' } : { text: '✓', tone: 'ok' };
}

/**
 * Returns a bar such as `[■■■■■■■■  ]` in exactly `cells` cells. It is full only at 100 % and empty only at 0
 * %.
 */
export function aggregateBar(entry: AggregateEntry, cells: number): readonly Run[] {
  const width = Math.max(0, cells - 2);
  const { percent = 0 } = entry;
  const rounded = Math.floor((percent / 100) * width);
  const filled = percent > 0 ? Math.max(Math.min(1, width), rounded) : 0;
  return [run('['), run('■'.repeat(filled), aggregateMark(entry).tone), run(`${' '.repeat(width - filled)}]`)];
}

function percentOf({ results: { ok, total } }: AggregateSummary): number | undefined {
  return total === 0 ? undefined : (100 * ok) / total;
}

function grown(trend: readonly number[], percent: number | undefined): readonly number[] {
  return percent === undefined ? trend : [...trend.slice(1 - TREND_VALUES), percent];
}
