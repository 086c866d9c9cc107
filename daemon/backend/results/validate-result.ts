import { resultOfNamedClient } from '../../../shared/domain/submitted-result.ts';
import { MonError } from '../../../shared/errors.ts';
import { resultProblem, resultSchema, v1ResultSchema, type SubmittedResult } from '../../../shared/schemas/result.ts';
import { compileSchema } from './compile-schema.ts';
import { problemsOf } from '../../../shared/schemas/problems.ts';

/** Validates everything of the schema except its refinement, which is `resultProblem`. */
const isResult = compileSchema(resultSchema);
const isV1Result = compileSchema(v1ResultSchema);

/**
 * Validates a result that a program submits, optionally with its client (reference 2.4).
 *
 * @throws MonError `invalid` that names every invalid attribute
 */
export function validateSubmitted(value: unknown): SubmittedResult {
  return validateResult(resultOfNamedClient(value));
}

/**
 * Does the same for the v1 API.
 *
 * @throws MonError `invalid` that names every invalid attribute
 */
export function validateV1Submitted(value: unknown): SubmittedResult {
  const result = resultOfNamedClient(value);
  return isV1Result(result) && resultProblem(result) === undefined ? result : parsedBy(v1ResultSchema, result);
}

/** @throws MonError `invalid` that names every invalid attribute */
export function validateResult(value: unknown): SubmittedResult {
  return isResult(value) && resultProblem(value) === undefined ? value : parsedBy(resultSchema, value);
}

/** @throws MonError `invalid` */
function parsedBy(schema: typeof resultSchema | typeof v1ResultSchema, value: unknown): SubmittedResult {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new MonError('invalid', problemsOf(parsed.error));
}
