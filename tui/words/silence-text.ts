import { silenceName } from '../../shared/domain/silence-name.ts';
import type { SilencedTargetParts } from '../../shared/schemas/silenced.ts';

export const SELECTOR_UNSUPPORTED = 'this backend does not support silences by search: upgrade it';

const CLIENT = 'client:';

/**
 * Returns the target of a silence: `db-008 / postgres-repl`, `db-008 / all checks`, `check:cert-expiry`,
 * `subscription:canary`, `subscription:canary / disk`, `search:client~web-* env=prod`. Not yet safe for a
 * terminal.
 */
export function targetText({ subscription, check, selector }: SilencedTargetParts): string {
  if (selector !== null && selector !== undefined) return silenceName({ selector });
  if (subscription === null || subscription === undefined) return `check:${check ?? '*'}`;
  if (subscription.startsWith(CLIENT)) return `${subscription.slice(CLIENT.length)} / ${check ?? 'all checks'}`;
  return `subscription:${subscription}${check === null || check === undefined ? '' : ` / ${check}`}`;
}
