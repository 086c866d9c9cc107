import { boundedAuditValue } from '../../../shared/domain/audit.ts';
import type { Actor } from '../../../shared/schemas/audit.ts';
import { recordAudit, type AuditedChange } from '../model/audit/mutations.ts';
import type { StepGenerator } from '../commit/command.ts';
import type { Transaction } from '../model/transaction/transaction.ts';

/** Maximum total length of the operations in one audit record, in characters of JSON. */
const PART_LENGTH_MAX = 32 * 1024;

/**
 * Records the changes of a bulk request in the audit trail. It appends several records if one record would be too long,
 * and none if there are no changes.
 */
export function* recordBulk(
  transaction: Transaction,
  actor: Actor,
  action: 'bulk' | 'undo',
  changes: readonly AuditedChange[],
): StepGenerator {
  const parts = yield* partsOf(changes);
  const reasons = new Set(changes.map(({ reason }) => reason ?? null));
  const reason = reasons.size === 1 ? changes[0]?.reason : null;
  const size = `${String(changes.length)} operation${changes.length === 1 ? '' : 's'}`;
  for (const [index, operations] of parts.entries()) {
    yield;
    const part = parts.length === 1 ? '' : `, part ${String(index + 1)} of ${String(parts.length)}`;
    recordAudit(transaction, actor, { action, target: `${size}${part}`, after: operations, reason });
  }
}

function* partsOf(changes: readonly AuditedChange[]): StepGenerator<unknown[][]> {
  const parts: unknown[][] = [];
  let remainingLength = 0;
  for (const change of changes) {
    yield;
    const item = boundedAuditValue(change);
    const { length } = JSON.stringify(item);
    const last = parts.at(-1);
    if (last === undefined || length > remainingLength) {
      parts.push([item]);
      remainingLength = PART_LENGTH_MAX - length;
    } else {
      last.push(item);
      remainingLength -= length;
    }
  }
  return parts;
}
