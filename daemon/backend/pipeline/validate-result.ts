import { Ajv } from 'ajv';
import { z } from 'zod';
import { MonError } from '../../../shared/errors.ts';
import { resultProblem, resultSchema, type SubmittedResult } from '../../../shared/schemas/result.ts';
import { problemsOf } from './problems.ts';

/**
 * The result schema, compiled: this check runs for every result, and zod takes several times as long. The schema stays
 * the only source; what a JSON schema cannot say is in `resultProblem`, which zod uses too.
 */
const isResult = new Ajv({ strict: false, validateFormats: false }).compile<SubmittedResult>(
  z.toJSONSchema(resultSchema, { io: 'input', unrepresentable: 'any' }),
);

/** @throws MonError `invalid` naming every attribute that is wrong */
export function validateResult(value: unknown): SubmittedResult {
  if (isResult(value) && resultProblem(value) === undefined) return value;
  const parsed = resultSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new MonError('invalid', problemsOf(parsed.error));
}
