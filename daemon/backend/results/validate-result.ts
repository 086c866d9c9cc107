import { resultOfNamedClient } from '../../../shared/domain/submitted-result.ts';
import { MonError } from '../../../shared/errors.ts';
import { resultProblem, resultSchema, v1ResultSchema, type SubmittedResult } from '../../../shared/schemas/result.ts';
import { compileSchema } from './compile-schema.ts';
import { problemsOf } from '../../../shared/schemas/problems.ts';

/** Everything of the schema but its refinement, which is `resultProblem`. */
const isResult = compileSchema(resultSchema);
const isV1Result = compileSchema(v1ResultSchema);

/**
 * A result as programs submit it, perhaps with its client (reference 2.4).
 *
 * @throws MonError `invalid` naming every attribute that is wrong
 */
export function validateSubmitted(value: unknown): SubmittedResult {
  return validateResult(resultOfNamedClient(value));
}

/**
 * The same of the older API.
 *
 * @throws MonError `invalid` naming every attribute that is wrong
 */
export function validateV1Submitted(value: unknown): SubmittedResult {
  const result = resultOfNamedClient(value);
  return isV1Result(result) && resultProblem(result) === undefined ? result : parsedBy(v1ResultSchema, result);
}

/** @throws MonError `invalid` naming every attribute that is wrong */
export function validateResult(value: unknown): SubmittedResult {
  return isResult(value) && resultProblem(value) === undefined ? value : parsedBy(resultSchema, value);
}

/** @throws MonError `invalid` */
function parsedBy(schema: typeof resultSchema | typeof v1ResultSchema, value: unknown): SubmittedResult {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new MonError('invalid', problemsOf(parsed.error));
}
