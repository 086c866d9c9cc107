import { AGGREGATE_NAME_PATTERN } from '../schemas/aggregate.ts';

/** Attributes of a result that decide which aggregates count it. */
export interface AggregatedResult {
  readonly name: string;
  readonly aggregate?: unknown;
  readonly aggregates?: unknown;
}

const NO_AGGREGATES: readonly string[] = [];

/**
 * Returns the aggregates that a result belongs to. `aggregates` overrides `aggregate`, even when it is empty, and
 * `aggregate: true` means the name of the check (completion 1.7). Values that are not valid names are ignored.
 *
 * @returns each name once, in the order of the result
 */
export function aggregateNames({ name, aggregate, aggregates }: AggregatedResult): readonly string[] {
  if (Array.isArray(aggregates)) return [...new Set(aggregates.filter(isAggregateName))];
  if (aggregate === true) return [name];
  return isAggregateName(aggregate) ? [aggregate] : NO_AGGREGATES;
}

function isAggregateName(value: unknown): value is string {
  return typeof value === 'string' && AGGREGATE_NAME_PATTERN.test(value);
}

/**
 * Whether a result is too old to count in an aggregate.
 *
 * @param executed epoch seconds
 * @param maxAge seconds; undefined if results never become stale
 * @param now epoch seconds
 */
export function isResultStale(executed: number, maxAge: number | undefined, now: number): boolean {
  return maxAge !== undefined && executed < now - maxAge;
}
