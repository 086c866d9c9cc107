import { alertKey, alertResult } from '../../../shared/domain/alert.ts';
import { withFittingAnnotations } from '../../../shared/domain/alert-size.ts';
import { MonError } from '../../../shared/errors.ts';
import { postedAlertSchema } from '../../../shared/schemas/alert.ts';
import { ATTRIBUTE_LIMITS } from '../../../shared/schemas/fixed-limits.ts';
import { DEFAULT_NAMESPACE } from '../../../shared/schemas/namespace.ts';
import { BATCH_MAX, type SubmittedResult } from '../../../shared/schemas/result.ts';
import type { Admission } from '../access/admission.ts';
import type { ConfigInForce } from '../config/config-in-force.ts';
import { schemaValidator, type ParsedBody } from '../http/json-body.ts';
import type { NamespaceDependencies } from '../namespaces/request-namespaces.ts';
import type { Clock } from '../ports.ts';
import { validateSubmitted } from '../results/validate-result.ts';
import type { Results } from '../results/commands.ts';
import { TimeSlice } from '../store/time-slice.ts';

/** Dependencies of `submitAlerts`. */
export interface IncomingDependencies extends NamespaceDependencies {
  readonly clock: Clock;
  readonly config: Pick<ConfigInForce, 'program'>;
  readonly results: Pick<Results, 'submit'>;
}

const validateAlert = schemaValidator(postedAlertSchema);

/** Maximum number of rejected alerts that an error message describes. */
const PROBLEMS_SHOWN_MAX = 20;

/**
 * Stores posted alerts as results, and waits for their commit (prometheus 1.1).
 *
 * @throws MonError that lists the rejected alerts, after the other alerts were stored; its code is that of the first
 *   rejected alert. `invalid` if the body is not an array of alerts; `unavailable`; the error of `admission`
 */
export async function submitAlerts(
  { value }: ParsedBody,
  admission: Admission,
  deps: IncomingDependencies,
): Promise<void> {
  if (!Array.isArray(value)) throw new MonError('invalid', 'the body must be an array of alerts');
  if (value.length > BATCH_MAX) {
    throw new MonError('invalid', `${String(value.length)} alerts are too many: send at most ${String(BATCH_MAX)}`);
  }
  const problems = new Map<number, MonError>();
  const results: SubmittedResult[] = [];
  const indexes: number[] = [];
  const items: readonly unknown[] = value;
  const timeSlice = new TimeSlice();
  for (const [index, item] of items.entries()) {
    await timeSlice.share();
    try {
      const result = resultOf(item, deps);
      if (result === undefined) continue;
      results.push(result);
      indexes.push(index);
    } catch (error) {
      if (!(error instanceof MonError)) throw error;
      problems.set(index, error);
    }
  }
  if (results.length > 0) {
    const refused = await deps.results.submit(DEFAULT_NAMESPACE, results, admission);
    for (const [at, error] of refused) problems.set(indexes[at] ?? 0, error);
  }
  throwFirstProblem(problems);
}

/**
 * Converts a posted alert to a result.
 *
 * @returns the result; undefined if the alert has ended and its check has no stored result that it could resolve
 * @throws MonError `invalid`
 */
function resultOf(item: unknown, { clock, config, registry }: IncomingDependencies): SubmittedResult | undefined {
  const alert = validateAlert(item);
  const settings = config.program.alerts;
  const key = alertKey(alert.labels, settings);
  if (key === undefined) {
    throw new MonError(
      'invalid',
      `labels: ${settings.check} is missing: this label must contain the name of the check (setting alerts.check)`,
    );
  }
  const result = alertResult(alert, key, settings, clock.now());
  const hasCheck = registry.namespace(DEFAULT_NAMESPACE).check(key.client, key.check) !== undefined;
  if (result.ttl === undefined && !hasCheck) return undefined;
  return validateSubmitted(withFittingAnnotations(result, ATTRIBUTE_LIMITS.bytes));
}

/**
 * Throws if alerts were rejected. @throws MonError with the code of the first rejection and the texts of the first few
 */
function throwFirstProblem(problems: ReadonlyMap<number, MonError>): void {
  const [first] = problems.values();
  if (first === undefined) return;
  const texts = [...problems]
    .slice(0, PROBLEMS_SHOWN_MAX)
    .map(([index, { message }]) => `${String(index)}: ${message}`);
  const more = problems.size - texts.length;
  throw new MonError(first.code, [...texts, ...(more > 0 ? [`and ${String(more)} more`] : [])].join('\n'));
}
