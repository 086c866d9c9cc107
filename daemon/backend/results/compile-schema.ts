import { Ajv } from 'ajv';
import { z } from 'zod';

/**
 * Returns a validator that is compiled from a zod schema, for values that are validated thousands of times a second;
 * zod itself takes several times as long. It does not check refinements of the schema, because a JSON schema cannot
 * express them. The schema is compiled when the first value is validated, so that it costs nothing in programs without
 * results.
 */
export function compileSchema<T>(schema: z.ZodType<T>): (value: unknown) => value is T {
  let isValid: ((value: unknown) => value is T) | undefined;
  return (value): value is T => (isValid ??= compileValidator(schema))(value);
}

function compileValidator<T>(schema: z.ZodType<T>): (value: unknown) => value is T {
  const ajv = new Ajv({ strict: false, validateFormats: false, validateSchema: false });
  return ajv.compile<T>(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', target: 'draft-7' }));
}
