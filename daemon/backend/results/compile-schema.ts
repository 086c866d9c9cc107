import { Ajv } from 'ajv';
import { z } from 'zod';

/**
 * A schema as compiled code, for what is checked thousands of times a second: zod takes several times as long. The zod
 * schema stays the only source. Refinements are not part of it, since a JSON schema cannot say them. It is compiled when the
 * first value is there: a start, and a program that takes no results, do without.
 */
export function compileSchema<T>(schema: z.ZodType<T>): (value: unknown) => value is T {
  let isValid: ((value: unknown) => value is T) | undefined;
  return (value): value is T => (isValid ??= compiled(schema))(value);
}

function compiled<T>(schema: z.ZodType<T>): (value: unknown) => value is T {
  const ajv = new Ajv({ strict: false, validateFormats: false, validateSchema: false });
  return ajv.compile<T>(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', target: 'draft-7' }));
}
