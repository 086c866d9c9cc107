export const SEVERITIES = ['ok', 'warning', 'critical', 'unknown'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** Everything outside 0 to 2 is unknown, negative numbers included (completion 1.4 and 1.20). */
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
