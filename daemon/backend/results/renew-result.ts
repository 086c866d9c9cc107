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
 * Remembers a result as a baseline if later results of its kind would change only times and the history. Then its agent
 * may send delta results.
 *
 * @param result.entry entry that has stored the result in this batch
 * @param result.definitions generation of the definitions with which it was merged
 * @returns true if it was remembered
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
  // The next result would be merged with other definitions.
  if (result.definitions !== definitions.generation) return false;
  // With a duration in the definition, `hasDuration` would not show whether the agent reports one.
  if (definitions.in(namespace.name).check(check.name)?.['duration'] !== undefined) return false;
  const { event, history } = entry.state;
  if (event !== undefined || history.wide !== undefined || !isShortenable(check)) return false;
  if (transaction.handling.tellsAll(namespace.name, check)) return false;
  const hasDuration = check['duration'] !== undefined;
  return bases.add({ id, entry, signature, hasDuration }, circumstancesOf(transaction, namespace));
}

/** True if a delta result can be applied to its present baseline. */
export function isGoodBase(
  transaction: Transaction,
  namespace: Namespace,
  base: ShortenedResult | undefined,
  told: ShortResult,
): base is ShortenedResult {
  if (base?.isGood(circumstancesOf(transaction, namespace)) !== true) return false;
  // Without a duration, a delta result would keep that of its baseline, which belongs to another run.
  if (base.hasDuration !== (told.duration !== undefined)) return false;
  // Another command of the batch has read the stored body, which may no longer contain the output of the baseline.
  return !(base.hasOtherOutput && told.output === undefined && transaction.hasBody(CHECK_RECORDS, base.entry));
}

/** Applies a delta result to a valid baseline. */
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
