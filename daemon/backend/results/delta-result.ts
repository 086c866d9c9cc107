import { nextCheckState } from '../../../shared/domain/event.ts';
import { canBeBaseline } from '../../../shared/domain/delta-result.ts';
import type { DeltaResult } from '../../../shared/schemas/agent.ts';
import type { CheckResult } from '../../../shared/schemas/result.ts';
import type { Transaction } from '../model/transaction/transaction.ts';
import { recordSample } from '../model/results/mutations.ts';
import { renewCheck } from '../model/events/mutations.ts';
import { CHECK_RECORDS } from '../model/events/storage.ts';
import type { CheckEntry, Namespace } from '../model/registry/namespace.ts';
import type { BaselineVersions, ConnectionBaselines, Baseline } from './baselines.ts';

/**
 * Makes this result a baseline of the connection, if an equal result later would change only times and the history.
 *
 * @param result.entry the entry that got the result in this batch
 * @param result.definitions generation number of the definitions that the result was merged with
 * @returns true if the result is a baseline now
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
  // Definitions have changed since this result was merged, so the next result will be merged with newer ones.
  if (result.definitions !== definitions.generation) return false;
  // The definition sets a duration. A full result without a duration gets it, but a delta does not.
  if (definitions.inNamespace(namespace.name).check(check.name)?.['duration'] !== undefined) return false;
  const { event, history } = entry.state;
  if (event !== undefined || history.wide !== undefined || !canBeBaseline(check)) return false;
  if (transaction.routing.hasHandlerForOkEvents(namespace.name, check)) return false;
  const hasDuration = check['duration'] !== undefined;
  return baselines.add({ id, entry, signature, hasDuration }, versionsOf(transaction, namespace));
}

/** True if `delta` can be applied to `baseline`; false if there is no baseline. */
export function isUsableBaseline(
  transaction: Transaction,
  namespace: Namespace,
  baseline: Baseline | undefined,
  delta: DeltaResult,
): baseline is Baseline {
  if (baseline?.isUsable(versionsOf(transaction, namespace)) !== true) return false;
  // If the delta had no duration, the record would keep the duration of the baseline, which was another run.
  if (baseline.hasDuration !== (delta.duration !== undefined)) return false;
  // A delta without output means the output of the baseline. If another delta has replaced that output, the record that
  // was read for this batch no longer contains it.
  return !(baseline.hasOtherOutput && delta.output === undefined && transaction.hasBody(CHECK_RECORDS, baseline.entry));
}

/** Applies a delta result to its baseline. Call it only if `isUsableBaseline` returned true. */
export function applyDelta(transaction: Transaction, baseline: Baseline, delta: DeltaResult): void {
  const { entry, stamp } = baseline;
  const executed = Math.min(delta.executed, transaction.now);
  const { state } = nextCheckState(entry.state, { status: 0, executed }, transaction);
  const { issued, duration, output } = delta;
  renewCheck(transaction, entry, state, { stamp, executed, issued, duration, output });
  recordSample(transaction, entry, { executed, duration, output });
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
