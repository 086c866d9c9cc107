import type { AuditRecord } from '../schemas/audit.ts';
import type { SilencedTargetAttributes } from '../schemas/silenced.ts';
import { isSelectorId, targetId } from './silencing.ts';
import { clientSubscription } from './subscription.ts';

const CLIENT_SUBSCRIPTION_PREFIX = clientSubscription('');

/**
 * Returns the name of a silence for people: `search subscriptions=rack:r20` if it matches by search, because the id of
 * such a silence is a hash, otherwise its id. Not yet safe for a terminal.
 */
export function silenceName(target: SilencedTargetAttributes & { readonly id?: string }): string {
  const { selector } = target;
  return typeof selector === 'string' ? `search ${selector}` : (target.id ?? targetId(target));
}

/**
 * Returns the target of a silence: `db-008 / postgres-repl`, `db-008 / all checks`, `check:cert-expiry`,
 * `subscription:canary`, `subscription:canary / disk`, `search client~web-* env=prod`. Not yet safe for a
 * terminal.
 */
export function targetText({ subscription, check, selector }: SilencedTargetAttributes): string {
  if (selector !== null && selector !== undefined) return silenceName({ selector });
  if (subscription === null || subscription === undefined) return `check:${check ?? '*'}`;
  if (subscription.startsWith(CLIENT_SUBSCRIPTION_PREFIX))
    return `${subscription.slice(CLIENT_SUBSCRIPTION_PREFIX.length)} / ${check ?? 'all checks'}`;
  return `subscription:${subscription}${check === null || check === undefined ? '' : ` / ${check}`}`;
}

/**
 * Returns the target of a silence of which only the id is known, in the form of `targetText`. The id of a silence by
 * search is a hash, so it is returned as it is, like the name of such a silence.
 */
export function targetTextOfId(id: string): string {
  const colon = id.lastIndexOf(':');
  // Only the name of a silence by search contains a blank.
  if (isSelectorId(id) || colon === -1 || id.includes(' ')) return id;
  const [subscription, check] = [id.slice(0, colon), id.slice(colon + 1)].map((part) => (part === '*' ? null : part));
  return targetText({ subscription, check });
}

/** Returns the name of the target of an audit record: the name of a silence by search, otherwise the stored target. */
export function auditTargetName({ target, before, after }: Pick<AuditRecord, 'target' | 'before' | 'after'>): string {
  const selector = selectorOf(after) ?? selectorOf(before);
  return selector === undefined ? target : silenceName({ selector });
}

function selectorOf(state: unknown): string | undefined {
  if (typeof state !== 'object' || state === null || !('selector' in state)) return undefined;
  return typeof state.selector === 'string' ? state.selector : undefined;
}
