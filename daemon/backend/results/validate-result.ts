import { resultWithSource } from '../../../shared/domain/submitted-result.ts';
import { MonError } from '../../../shared/errors.ts';
import { resultProblem, resultSchema, v1ResultSchema, type SubmittedResult } from '../../../shared/schemas/result.ts';
import { compileSchema } from './compile-schema.ts';
import { problemsOf } from '../../../shared/schemas/problems.ts';

/** Checks everything in `resultSchema` except its refinement, which `resultProblem` checks. */
const isResult = compileSchema(resultSchema);
const isV1Result = compileSchema(v1ResultSchema);

/**
 * Validates a result that a program submits. The result can name its client (reference 2.4).
 *
 * @throws MonError `invalid` that names every invalid attribute
 */
export function validateSubmitted(value: unknown): SubmittedResult {
  return validateResult(resultWithSource(value));
}

/**
 * Validates a result that is submitted through the v1 API. The result can name its client.
 *
 * @throws MonError `invalid` that names every invalid attribute
 */
export function validateV1Submitted(value: unknown): SubmittedResult {
  const result = resultWithSource(value);
  return isV1Result(result) && resultProblem(result) === undefined ? result : parseWithSchema(v1ResultSchema, result);
}

/**
 * Validates a result as `resultSchema` defines it.
 *
 * @throws MonError `invalid` that names every invalid attribute
 */
export function validateResult(value: unknown): SubmittedResult {
  return isResult(value) && resultProblem(value) === undefined ? value : parseWithSchema(resultSchema, value);
}

/**
 * Validates a result with zod, which is slower than a compiled schema but names the invalid attributes.
 *
 * @throws MonError `invalid` that names every invalid attribute
 */
function parseWithSchema(schema: typeof resultSchema | typeof v1ResultSchema, value: unknown): SubmittedResult {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new MonError('invalid', problemsOf(parsed.error));
}
