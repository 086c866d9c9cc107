import { nextCheckState } from '../../../shared/domain/event.ts';
import { isShortenable } from '../../../shared/domain/short-result.ts';
import type { ShortResult } from '../../../shared/schemas/agent.ts';
import type { CheckResult } from '../../../shared/schemas/result.ts';
import type { Transaction } from '../commit/transaction.ts';
import { renewCheck } from '../events/saved.ts';
import type { CheckEntry, Namespace } from '../registry/namespace.ts';
import type { BaseCircumstances, ResultBases, ShortenedResult } from './result-bases.ts';

/**
 * Whether the results that are like this one come to nothing but times and a longer history, so that an agent may tell them
 * by what differs; then it is remembered.
 *
 * @param entry has taken over the result in this batch
 */
export function offerBase(
  transaction: Transaction,
  namespace: Namespace,
  bases: ResultBases,
  result: { readonly id: number; readonly signature: string; readonly entry: CheckEntry; readonly check: CheckResult },
): boolean {
  const { id, signature, entry, check } = result;
  const { event, history } = entry.state;
  if (event !== undefined || history.wide !== undefined || !isShortenable(check)) return false;
  if (transaction.handling.tellsAll(namespace.name, check)) return false;
  return bases.add({ id, entry, signature }, circumstancesOf(transaction, namespace));
}

/** Whether a short result may go on from what its base has left. */
export function isGoodBase(
  transaction: Transaction,
  namespace: Namespace,
  base: ShortenedResult | undefined,
): base is ShortenedResult {
  return base?.isGood(circumstancesOf(transaction, namespace)) === true;
}

/** Applies a result that is told by its base, which is good. */
export function renewResult(transaction: Transaction, { entry, stamp }: ShortenedResult, told: ShortResult): void {
  const executed = Math.min(told.executed, transaction.now);
  const { state } = nextCheckState(entry.state, { status: 0, executed }, transaction);
  const { issued, duration, output } = told;
  renewCheck(transaction, entry, state, { stamp, executed, issued, duration, output });
  transaction.resultCount++;
}

function circumstancesOf({ handling, registry }: Transaction, { aggregates }: Namespace): BaseCircumstances {
  return {
    definitions: handling.definitions.generation,
    registry: registry.generation,
    deletions: aggregates.deletionCount,
  };
}
