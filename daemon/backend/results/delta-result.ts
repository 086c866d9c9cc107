import { nextCheckState } from '../../../shared/domain/event.ts';
import { canBeBaseline } from '../../../shared/domain/delta-result.ts';
import type { DeltaResult } from '../../../shared/schemas/agent.ts';
import type { CheckResult } from '../../../shared/schemas/result.ts';
import type { Transaction } from '../model/transaction/transaction.ts';
import { renewCheck } from '../model/events/mutations.ts';
import { CHECK_RECORDS } from '../model/events/storage.ts';
import type { CheckEntry, Namespace } from '../model/registry/namespace.ts';
import type { BaselineVersions, ConnectionBaselines, Baseline } from './baselines.ts';

/**
 * Adds this result to the baselines if a similar result would change only times and the history.
 *
 * @param result.entry the entry that got the result in this batch
 * @param result.definitions the generation of the definitions with which it was merged
 * @returns whether it is a baseline now
 */
export function offerBaseline(
  transaction: Transaction,
  namespace: Namespace,
  baselines: ConnectionBaselines,
  result: {
    readonly id: number;
    readonly signature: string;
    readonly entry: CheckEntry;
    readonly check: CheckResult;
    readonly definitions: number;
  },
): boolean {
  const { id, signature, entry, check } = result;
  const { definitions } = transaction.routing;
  // The next result would be merged with newer definitions.
  if (result.definitions !== definitions.generation) return false;
  // The duration of the definition would replace a missing one.
  if (definitions.in(namespace.name).check(check.name)?.['duration'] !== undefined) return false;
  const { event, history } = entry.state;
  if (event !== undefined || history.wide !== undefined || !canBeBaseline(check)) return false;
  if (transaction.routing.notifiesOk(namespace.name, check)) return false;
  const hasDuration = check['duration'] !== undefined;
  return baselines.add({ id, entry, signature, hasDuration }, versionsOf(transaction, namespace));
}

/** Whether this delta can be applied to this baseline. */
export function isUsableBaseline(
  transaction: Transaction,
  namespace: Namespace,
  baseline: Baseline | undefined,
  delta: DeltaResult,
): baseline is Baseline {
  if (baseline?.isUsable(versionsOf(transaction, namespace)) !== true) return false;
  // A delta without a duration would keep that of its baseline, which is another run.
  if (baseline.hasDuration !== (delta.duration !== undefined)) return false;
  // Another command of the batch has read the stored record, which no longer has the output of the baseline.
  return !(baseline.hasOtherOutput && delta.output === undefined && transaction.hasBody(CHECK_RECORDS, baseline.entry));
}

/** Applies a delta to its usable baseline. */
export function applyDelta(transaction: Transaction, baseline: Baseline, delta: DeltaResult): void {
  const { entry, stamp } = baseline;
  const executed = Math.min(delta.executed, transaction.now);
  const { state } = nextCheckState(entry.state, { status: 0, executed }, transaction);
  const { issued, duration, output } = delta;
  renewCheck(transaction, entry, state, { stamp, executed, issued, duration, output });
  if (output !== undefined) baseline.hasOtherOutput = true;
  transaction.resultCount++;
}

function versionsOf({ routing, registry }: Transaction, { aggregates }: Namespace): BaselineVersions {
  return {
    definitions: routing.definitions.generation,
    registry: registry.generation,
    deletions: aggregates.deletionCount,
  };
}
