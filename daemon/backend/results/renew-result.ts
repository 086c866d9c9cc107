import { nextCheckState } from '../../../shared/domain/event.ts';
import { isShortenable } from '../../../shared/domain/short-result.ts';
import type { ShortResult } from '../../../shared/schemas/agent.ts';
import type { CheckResult } from '../../../shared/schemas/result.ts';
import type { Transaction } from '../commit/transaction.ts';
import { renewCheck } from '../events/saved.ts';
import { CHECK_RECORDS } from '../events/table.ts';
import type { CheckEntry, Namespace } from '../registry/namespace.ts';
import type { BaseCircumstances, ResultBases, ShortenedResult } from './result-bases.ts';

/**
 * Whether the results that are like this one come to nothing but times and a longer history, so that an agent may tell them
 * by what differs; then it is remembered.
 *
 * @param result.entry has taken over the result in this batch
 * @param result.definitions generation of those with which it was merged
 */
export function offerBase(
  transaction: Transaction,
  namespace: Namespace,
  bases: ResultBases,
  result: {
    readonly id: number;
    readonly signature: string;
    readonly entry: CheckEntry;
    readonly check: CheckResult;
    readonly definitions: number;
  },
): boolean {
  const { id, signature, entry, check } = result;
  const { definitions } = transaction.handling;
  // The next one would be merged with others.
  if (result.definitions !== definitions.generation) return false;
  // Which says nothing of a result that tells none itself.
  if (definitions.in(namespace.name).check(check.name)?.['duration'] !== undefined) return false;
  const { event, history } = entry.state;
  if (event !== undefined || history.wide !== undefined || !isShortenable(check)) return false;
  if (transaction.handling.tellsAll(namespace.name, check)) return false;
  const hasDuration = check['duration'] !== undefined;
  return bases.add({ id, entry, signature, hasDuration }, circumstancesOf(transaction, namespace));
}

/** Whether a short result may go on from what its base has left. */
export function isGoodBase(
  transaction: Transaction,
  namespace: Namespace,
  base: ShortenedResult | undefined,
  told: ShortResult,
): base is ShortenedResult {
  if (base?.isGood(circumstancesOf(transaction, namespace)) !== true) return false;
  // A short result without a duration would keep the one of its base, which is another run.
  if (base.hasDuration !== (told.duration !== undefined)) return false;
  // Another command of the batch has read what is stored, which does not say any more what the output of the base was.
  return !(base.hasOtherOutput && told.output === undefined && transaction.hasBody(CHECK_RECORDS, base.entry));
}

/** Applies a result that is told by its base, which is good. */
export function renewResult(transaction: Transaction, base: ShortenedResult, told: ShortResult): void {
  const { entry, stamp } = base;
  const executed = Math.min(told.executed, transaction.now);
  const { state } = nextCheckState(entry.state, { status: 0, executed }, transaction);
  const { issued, duration, output } = told;
  renewCheck(transaction, entry, state, { stamp, executed, issued, duration, output });
  if (output !== undefined) base.hasOtherOutput = true;
  transaction.resultCount++;
}

function circumstancesOf({ handling, registry }: Transaction, { aggregates }: Namespace): BaseCircumstances {
  return {
    definitions: handling.definitions.generation,
    registry: registry.generation,
    deletions: aggregates.deletionCount,
  };
}
