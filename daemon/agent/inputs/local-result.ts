import { isInexact } from '../../../shared/domain/attribute-limits.ts';
import { FORBIDDEN_NAMES, DEPTH_MAX } from '../../../shared/domain/json-text.ts';
import { resultWithSource } from '../../../shared/domain/submitted-result.ts';
import { MonError } from '../../../shared/errors.ts';
import { problemsOf } from '../../../shared/schemas/problems.ts';
import { v1ResultSchema, type SubmittedResult } from '../../../shared/schemas/result.ts';
import type { Clock } from '../../clock/clock.ts';
import type { DeliverResult } from '../ports.ts';

/** Maximum size of one message from a local program, on every input (security S7). */
export const MESSAGE_BYTES_MAX = 1024 * 1024;

/**
 * Accepts the parsed message of a local program: one result, or an array of results. Rejects with the errors of
 * `acceptLocalResults`.
 */
export type AcceptMessage = (message: unknown) => Promise<void>;

interface AcceptDependencies {
  readonly clock: Clock;
  readonly deliver: DeliverResult;
}

/**
 * Delivers the results of a local program in their order, up to the first invalid one (legacy-peer, sensu-client).
 * Tokens in the results are not replaced (reference 2.3.6).
 *
 * @param message the message as parsed JSON: one result, or an array of results
 * @throws MonError `invalid` that names the invalid item and the problem, or the error of a delivery
 */
export async function acceptLocalResults(message: unknown, { clock, deliver }: AcceptDependencies): Promise<void> {
  const isList = Array.isArray(message);
  const items: readonly unknown[] = isList ? message : [message];
  const deliveries: Promise<void>[] = [];
  let problem: MonError | undefined;
  for (const [index, item] of items.entries()) {
    const result = localResult(item, clock.now());
    if (typeof result === 'string') {
      problem = new MonError('invalid', (isList ? `item ${String(index + 1)}: ` : '') + result);
      break;
    }
    deliveries.push(deliver(result));
  }
  await Promise.all(deliveries);
  if (problem !== undefined) throw problem;
}

/**
 * Validates a result of a local program and adds the defaults of completion 1.11: status 0, and the current time as
 * `executed`. `issued` is always the current time.
 *
 * @returns the result, or an error message if the result is invalid
 */
function localResult(value: unknown, nowMs: number): SubmittedResult | string {
  const hazard = findHazard(value, 1);
  if (hazard !== undefined) return hazard;
  const parsed = v1ResultSchema.safeParse(resultWithSource(value));
  if (!parsed.success) return problemsOf(parsed.error);
  const now = Math.floor(nowMs / 1000);
  const { status, executed } = parsed.data;
  return { ...parsed.data, status: status ?? 0, executed: executed ?? now, issued: now };
}

/**
 * Returns an error message if the JSON value contains a whole number beyond 2^53, too many nested levels or a forbidden
 * field name; otherwise undefined (security S7, S8 and S9).
 *
 * @param depth the nesting level of the value; 1 for the outermost value
 */
function findHazard(value: unknown, depth: number): string | undefined {
  if (isInexact(value)) return 'a whole number beyond 2^53: put it in double quotes';
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth > DEPTH_MAX) return `nested deeper than ${String(DEPTH_MAX)} levels`;
  if (Array.isArray(value)) return firstProblem(value, (item) => findHazard(item, depth + 1));
  return firstProblem(Object.entries(value), ([name, item]) =>
    FORBIDDEN_NAMES.has(name) ? `the field name "${name}" is not allowed` : findHazard(item, depth + 1),
  );
}

function firstProblem<T>(items: readonly T[], problemOf: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const problem = problemOf(item);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
