export const SEVERITIES = ['ok', 'warning', 'critical', 'unknown'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** The order of severities in lists. Groups rank by required action instead, with unknown before warning. */
export const WORST_FIRST: readonly Severity[] = ['critical', 'warning', 'unknown', 'ok'];

/** The status of each severity. Unknown is above critical, so that 1 and above means not OK. */
export const STATUS_OF: Readonly<Record<Severity, number>> = { ok: 0, warning: 1, critical: 2, unknown: 3 };

const NAMES: ReadonlyMap<string, Severity> = new Map([
  ['ok', 'ok'],
  ['warn', 'warning'],
  ['warning', 'warning'],
  ['crit', 'critical'],
  ['critical', 'critical'],
  ['unkn', 'unknown'],
  ['unknown', 'unknown'],
]);

/** Returns the severity that a word names, in any case. */
export function severityNamed(word: string): Severity | undefined {
  return NAMES.get(word.toLowerCase());
}

/**
 * Returns the severity of a status. Any status outside 0 to 2 is unknown, including negative ones (completion 1.4 and
 * 1.20).
 */
export function severityOf(status: number): Severity {
  switch (status) {
    case 0:
      return 'ok';
    case 1:
      return 'warning';
    case 2:
      return 'critical';
    default:
      return 'unknown';
  }
}

/** Returns the rank of a status in a list, the worst first. */
export function statusRank(status: number): number {
  return WORST_FIRST.indexOf(severityOf(status));
}
