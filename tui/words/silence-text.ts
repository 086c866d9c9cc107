import { silenceName } from '../../shared/domain/silence-name.ts';
import type { SilencedTargetAttributes } from '../../shared/schemas/silenced.ts';

export const SELECTOR_UNSUPPORTED = 'this backend does not support silences by search: upgrade it';

const CLIENT_PREFIX = 'client:';

/**
 * Returns the target of a silence: `db-008 / postgres-repl`, `db-008 / all checks`, `check:cert-expiry`,
 * `subscription:canary`, `subscription:canary / disk`, `search:client~web-* env=prod`. Not yet safe for a
 * terminal.
 */
export function targetText({ subscription, check, selector }: SilencedTargetAttributes): string {
  if (selector !== null && selector !== undefined) return silenceName({ selector });
  if (subscription === null || subscription === undefined) return `check:${check ?? '*'}`;
  if (subscription.startsWith(CLIENT_PREFIX))
    return `${subscription.slice(CLIENT_PREFIX.length)} / ${check ?? 'all checks'}`;
  return `subscription:${subscription}${check === null || check === undefined ? '' : ` / ${check}`}`;
}
