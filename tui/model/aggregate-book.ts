import type { AggregateSummary, NamedAggregate } from '../../shared/schemas/aggregate.ts';
import { run, type Run, type Tone } from '../text/theme.ts';
import { splitName } from './backend-names.ts';

/** The thresholds of aggregates: which percentage of their results must be OK. */
export interface AggregateThresholds {
  /** The percentage for aggregates without an entry in `named`; `none` if they have no threshold. */
  readonly default: number | 'none';
  readonly named: ReadonlyMap<string, number | 'none'>;
}

export const DEFAULT_AGGREGATE_THRESHOLDS: AggregateThresholds = { default: 80, named: new Map() };

/**
 * Milliseconds between two values of an aggregate's trend. A trend has at most `TREND_VALUES` values, which is ten
 * minutes.
 */
export const TREND_STEP_MS = 10_000;
const TREND_VALUES = 60;

/** An aggregate with its threshold and trend. */
export interface AggregateEntry {
  readonly name: string;
  readonly summary: AggregateSummary;
  /** Percentage of the aggregate's results that are OK; `undefined` if it has no results. */
  readonly percent: number | undefined;
  /** Percentage of the aggregate's results that must be OK; `undefined` if there is no threshold. */
  readonly threshold: number | undefined;
  /** The last percentages of OK results: at most `TREND_VALUES`, one per `TREND_STEP_MS`, the newest last. */
  readonly trend: readonly number[];
}

/** The aggregates of the last response from the backend, each with its threshold and its trend. */
export class ConsoleAggregates {
  readonly #needs: AggregateThresholds;
  readonly #entries = new Map<string, AggregateEntry>();
  #steppedAtMs = -Infinity;

  constructor(needs: AggregateThresholds) {
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

  /** Replaces all aggregates. An aggregate whose name existed before keeps its trend. */
  load(summaries: readonly NamedAggregate[], nowMs: number): void {
    const isStep = nowMs - this.#steppedAtMs >= TREND_STEP_MS;
    if (isStep) this.#steppedAtMs = nowMs;
    const before = new Map(this.#entries);
    this.#entries.clear();
    for (const summary of summaries) {
      const { name } = summary;
      const trend = before.get(name)?.trend ?? [];
      this.#entries.set(name, this.#entry(name, summary, isStep ? addPercent(trend, percentOf(summary)) : trend));
    }
  }

  /** Returns the entry of an aggregate whose summary was loaded separately, with the trend recorded so far. */
  entryOf(name: string, summary: AggregateSummary): AggregateEntry {
    return this.#entry(name, summary, this.#entries.get(name)?.trend ?? []);
  }

  #entry(name: string, summary: AggregateSummary, trend: readonly number[]): AggregateEntry {
    const need = configuredThreshold(summary) ?? this.#needs.named.get(splitName(name).name) ?? this.#needs.default;
    return { name, summary, percent: percentOf(summary), threshold: need === 'none' ? undefined : need, trend };
  }
}

/**
 * Returns the highest threshold among the backend's rules for the aggregate, rounded down; `undefined` if no rule has a
 * threshold.
 */
function configuredThreshold({ rules = [] }: AggregateSummary): number | undefined {
  const needs = rules.flatMap(({ needs: percent }) => percent ?? []);
  return needs.length === 0 ? undefined : Math.floor(Math.max(...needs));
}

/** Returns whether fewer results are OK than the threshold requires; false if there are no results or no threshold. */
export function isBelowThreshold({ percent, threshold: need }: AggregateEntry): boolean {
  return percent !== undefined && need !== undefined && percent < need;
}

/** Returns the percentage as text, rounded down so that 89.9 % never looks like 90 %; `-` if there are no results. */
export function percentText({ percent }: AggregateEntry): string {
  return percent === undefined ? '-' : `${String(Math.floor(percent))}%`;
}

/**
 * Returns `✗` if fewer results are OK than the threshold requires, otherwise `✓`. The text is empty without results or
 * without a threshold.
 */
export function aggregateMark(entry: AggregateEntry): { readonly text: string; readonly tone: Tone } {
  if (entry.percent === undefined || entry.threshold === undefined) return { text: '', tone: 'plain' };
  return isBelowThreshold(entry) ? { text: '✗', tone: 'critical' } : { text: '✓', tone: 'ok' };
}

/**
 * Returns a bar for the percentage of OK results, such as `[■■■■■■■■  ]`, `cells` cells wide (at least 2). The bar is
 * full only at 100 %. It is empty only at 0 % or without results.
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

function addPercent(trend: readonly number[], percent: number | undefined): readonly number[] {
  return percent === undefined ? trend : [...trend.slice(1 - TREND_VALUES), percent];
}
