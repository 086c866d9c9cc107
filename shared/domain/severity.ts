export const SEVERITIES = ['ok', 'warning', 'critical', 'unknown'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** The order of severities in lists. In notifications of groups, unknown comes before warning instead. */
export const SEVERITIES_WORST_FIRST: readonly Severity[] = ['critical', 'warning', 'unknown', 'ok'];

/** The status of each severity. Unknown is 3, so that `status>=warning` means every status that is not OK. */
export const STATUS_BY_SEVERITY: Readonly<Record<Severity, number>> = { ok: 0, warning: 1, critical: 2, unknown: 3 };

const SEVERITY_NAMES: ReadonlyMap<string, Severity> = new Map([
  ['ok', 'ok'],
  ['warn', 'warning'],
  ['warning', 'warning'],
  ['crit', 'critical'],
  ['critical', 'critical'],
  ['unkn', 'unknown'],
  ['unknown', 'unknown'],
]);

/** Returns the severity with a name such as `warn`, in upper or lower case; undefined if there is none. */
export function parseSeverity(word: string): Severity | undefined {
  return SEVERITY_NAMES.get(word.toLowerCase());
}

/**
 * Returns the severity of a status. Any status other than 0, 1 and 2 is unknown, even a negative one (completion 1.4
 * and 1.20).
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

/** Returns the rank of a status in lists; 0 is the worst: critical. */
export function statusRank(status: number): number {
  return SEVERITIES_WORST_FIRST.indexOf(severityOf(status));
}
