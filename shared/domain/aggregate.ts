import { AGGREGATE_NAME_PATTERN } from '../schemas/aggregate.ts';

/** The attributes of a result that say where it counts. */
export interface AggregatedResult {
  readonly name: string;
  readonly aggregate?: unknown;
  readonly aggregates?: unknown;
}

const NONE: readonly string[] = [];

/**
 * The aggregates that a result belongs to: `aggregates` wins over `aggregate`, even when it is empty, and
 * `aggregate: true` is the name of the check (completion 1.7). What cannot be a name is none.
 *
 * @returns each name once, in the order of the result
 */
export function aggregateNames({ name, aggregate, aggregates }: AggregatedResult): readonly string[] {
  if (Array.isArray(aggregates)) return [...new Set(aggregates.filter(isAggregateName))];
  if (aggregate === true) return [name];
  return isAggregateName(aggregate) ? [aggregate] : NONE;
}

function isAggregateName(value: unknown): value is string {
  return typeof value === 'string' && AGGREGATE_NAME_PATTERN.test(value);
}

/**
 * Whether a result is too old to count.
 *
 * @param executed epoch seconds
 * @param maxAge seconds; undefined: no result is
 * @param now epoch seconds
 */
export function isStale(executed: number, maxAge: number | undefined, now: number): boolean {
  return maxAge !== undefined && executed < now - maxAge;
}
