import { resultOfNamedClient } from '../../../shared/domain/submitted-result.ts';
import { MonError } from '../../../shared/errors.ts';
import { resultProblem, resultSchema, type SubmittedResult } from '../../../shared/schemas/result.ts';
import { compileSchema } from './compile-schema.ts';
import { problemsOf } from '../../../shared/schemas/problems.ts';

/** Everything of the schema but its refinement, which is `resultProblem`. */
const isResult = compileSchema(resultSchema);

/**
 * A result as programs submit it, perhaps with its client (reference 2.4).
 *
 * @throws MonError `invalid` naming every attribute that is wrong
 */
export function validateSubmitted(value: unknown): SubmittedResult {
  return validateResult(resultOfNamedClient(value));
}

/** @throws MonError `invalid` naming every attribute that is wrong */
export function validateResult(value: unknown): SubmittedResult {
  if (isResult(value) && resultProblem(value) === undefined) return value;
  const parsed = resultSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new MonError('invalid', problemsOf(parsed.error));
}
