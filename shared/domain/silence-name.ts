import type { AuditRecord } from '../schemas/audit.ts';
import type { SilencedTargetAttributes } from '../schemas/silenced.ts';
import { targetId } from './silencing.ts';

/**
 * Returns the name of a silence for people: `search subscriptions=rack:r20` if it matches by search, because the id of
 * such a silence is a hash, otherwise its id. Not yet safe for a terminal.
 */
export function silenceName(target: SilencedTargetAttributes & { readonly id?: string }): string {
  const { selector } = target;
  return typeof selector === 'string' ? `search ${selector}` : (target.id ?? targetId(target));
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
