import type { ShownEscalation } from '../../schemas/escalation.ts';

/*
 * This file loads no schemas, because the console loads it at its start.
 */

/** True if an escalation has a further step or repetition, even if it is paused. */
export function isEscalating({ due, remaining }: Pick<ShownEscalation, 'due' | 'remaining'>): boolean {
  return due !== undefined || remaining !== undefined;
}
