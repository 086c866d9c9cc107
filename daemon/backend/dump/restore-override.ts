import { wrappedName, type WrappedObject } from '../../../shared/domain/v2/wrapped-object.ts';
import { DEFAULT_NAMESPACE } from '../../../shared/schemas/namespace.ts';
import { dumpedOverrideSchema, ON_CALL_LIMITS, type OnCallOverride } from '../../../shared/schemas/on-call.ts';
import { nameSchema } from '../../../shared/schemas/name.ts';
import { problemsOf } from '../../../shared/schemas/problems.ts';
import type { RestoreResult } from '../../../shared/schemas/restore.ts';
import { isOutdatedOverride, overridesIn } from '../model/on-call/state.ts';
import { OVERRIDES } from '../model/on-call/storage.ts';
import type { Namespace } from '../model/registry/namespace.ts';
import { restoreState, skippedResult, type RestoreContext } from './restore-context.ts';

/** Restores an override of a schedule with its id. The schedule and the person may be defined later. */
export function restoreOverride(context: RestoreContext, namespace: Namespace, object: WrappedObject): RestoreResult {
  const { transaction, definitions } = context;
  const { onCall } = definitions;
  if (namespace.name !== DEFAULT_NAMESPACE) {
    return skippedResult('schedules and their overrides exist only in the namespace default');
  }
  const id = nameSchema.safeParse(wrappedName(object));
  if (!id.success) return skippedResult('the override has no valid name, which is its id');
  const parsed = dumpedOverrideSchema.safeParse(object.spec);
  if (!parsed.success) return skippedResult(problemsOf(parsed.error));
  const after: OnCallOverride = { id: id.data, ...parsed.data };
  if (isOutdatedOverride(after, transaction.now)) return skippedResult('the override ended more than 30 days ago');
  const overrides = overridesIn(namespace);
  const before = overrides.get(after.id);
  if (before === undefined && overrides.size >= ON_CALL_LIMITS.overrides) {
    return skippedResult(`the limit of ${String(ON_CALL_LIMITS.overrides)} overrides is reached: delete some first`);
  }
  const result = restoreState(context, { before, after }, () => transaction.put(OVERRIDES, namespace, after.id, after));
  const warnings = [
    ...(onCall.schedules.has(after.schedule) ? [] : [`the schedule ${after.schedule} is not defined`]),
    ...(onCall.people.has(after.person) ? [] : [`the person ${after.person} is not defined`]),
  ];
  return warnings.length === 0 ? result : { ...result, warnings };
}
