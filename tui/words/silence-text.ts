/** What a silence is about; null stands for all. */
export interface SilenceTarget {
  readonly subscription?: string | null | undefined;
  readonly check?: string | null | undefined;
}

const CLIENT = 'client:';

/**
 * What a silence covers, as people read it: `db-008 / postgres-repl`, `db-008 / all checks`, `check:cert-expiry`,
 * `subscription:canary`, `subscription:canary / disk`. Not yet safe for a terminal.
 */
export function targetText({ subscription, check }: SilenceTarget): string {
  if (subscription === null || subscription === undefined) return `check:${check ?? '*'}`;
  if (subscription.startsWith(CLIENT)) return `${subscription.slice(CLIENT.length)} / ${check ?? 'all checks'}`;
  return `subscription:${subscription}${check === null || check === undefined ? '' : ` / ${check}`}`;
}
