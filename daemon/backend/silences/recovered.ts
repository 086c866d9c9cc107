import { setImmediate as turn } from 'node:timers/promises';
import type { CheckEntry, Namespace } from '../registry/namespace.ts';

/** Clients and checks that are looked at until others get their turn: a few milliseconds. */
const TURN = 20_000;

/**
 * How many clients and checks that these entries name have no open event now, and were not OK at or after a moment.
 *
 * @param since epoch seconds
 */
export async function recoveredSince(
  namespace: Namespace,
  entries: readonly { readonly subscription?: string | null | undefined; readonly check?: string | null | undefined }[],
  since: number,
): Promise<number> {
  const recovered = new Set<CheckEntry>();
  let looked = 0;
  for (const { subscription = null, check = null } of entries) {
    for (const entry of namespace.checksNamedBy(subscription, check)) {
      looked += 1;
      if (looked % TURN === 0) await turn();
      if (entry.lastProblem >= since && entry.state.event === undefined) recovered.add(entry);
    }
  }
  return recovered.size;
}
