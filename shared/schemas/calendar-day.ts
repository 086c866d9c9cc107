/** Range of valid years. It covers future recurrences, and past ones in a dump. */
const YEAR_RANGE = { min: 2000, max: 2199 };

/**
 * Parses a day such as `2026-12-31`.
 *
 * @returns midnight of that day in UTC, in epoch milliseconds; undefined if the text is not a valid day
 */
export function parseDay(text: string): number | undefined {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text) ?? [];
  if (Number(year) < YEAR_RANGE.min || Number(year) > YEAR_RANGE.max) return undefined;
  const ms = Date.UTC(Number(year), Number(month) - 1, Number(day));
  return Number.isNaN(ms) || !new Date(ms).toISOString().startsWith(text) ? undefined : ms;
}
