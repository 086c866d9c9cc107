import { isInexact } from '../../../shared/domain/attribute-limits.ts';
import { FORBIDDEN_NAMES, DEPTH_MAX } from '../../../shared/domain/json-text.ts';
import { resultOfNamedClient } from '../../../shared/domain/submitted-result.ts';
import { MonError } from '../../../shared/errors.ts';
import { problemsOf } from '../../../shared/schemas/problems.ts';
import { v1ResultSchema, type SubmittedResult } from '../../../shared/schemas/result.ts';
import type { Clock, DeliverResult } from '../ports.ts';

/** Largest message of a program on this machine, over any of the inputs (security S7). */
export const MESSAGE_BYTES_MAX = 1024 * 1024;

/**
 * Takes over what a local program reports: one result, or an array of them. Rejects with what `acceptLocalResults`
 * throws.
 */
export type AcceptMessage = (message: unknown) => Promise<void>;

interface AcceptDeps {
  readonly clock: Clock;
  readonly deliver: DeliverResult;
}

/**
 * Delivers what a local program reports, in order, up to the first item that breaks a rule (legacy-peer, sensu-client).
 * Tokens are left alone (reference 2.3.6).
 *
 * @param message parsed JSON
 * @throws MonError `invalid` that names the place, or what delivering throws
 */
export async function acceptLocalResults(message: unknown, { clock, deliver }: AcceptDeps): Promise<void> {
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
 * The report with the defaults of completion 1.11: status 0, executed now; issued is always now.
 *
 * @returns what is wrong with it otherwise
 */
function localResult(value: unknown, nowMs: number): SubmittedResult | string {
  const hazard = hazardOf(value, 1);
  if (hazard !== undefined) return hazard;
  const parsed = v1ResultSchema.safeParse(resultOfNamedClient(value));
  if (!parsed.success) return problemsOf(parsed.error);
  const now = Math.floor(nowMs / 1000);
  const { status, executed } = parsed.data;
  return { ...parsed.data, status: status ?? 0, executed: executed ?? now, issued: now };
}

/** What JSON allows and nobody may send (security S7, S8 and S9). */
function hazardOf(value: unknown, depth: number): string | undefined {
  if (isInexact(value)) return 'a whole number beyond 2^53: put it in double quotes';
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth > DEPTH_MAX) return `nested deeper than ${String(DEPTH_MAX)} levels`;
  if (Array.isArray(value)) return firstOf(value, (item) => hazardOf(item, depth + 1));
  return firstOf(Object.entries(value), ([name, item]) =>
    FORBIDDEN_NAMES.has(name) ? `the name "${name}" is not allowed` : hazardOf(item, depth + 1),
  );
}

function firstOf<T>(items: readonly T[], problemOf: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const problem = problemOf(item);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
