import { Ajv } from 'ajv';
import { z } from 'zod';

/**
 * Compiles a schema to code, for values that are validated thousands of times a second: zod takes several times as
 * long. The zod schema stays the only source. Refinements are not included, since a JSON schema cannot express them. It
 * is compiled with the first value, so that starts, and programs without results, do not pay for it.
 */
export function compileSchema<T>(schema: z.ZodType<T>): (value: unknown) => value is T {
  let isValid: ((value: unknown) => value is T) | undefined;
  return (value): value is T => (isValid ??= compiled(schema))(value);
}

function compiled<T>(schema: z.ZodType<T>): (value: unknown) => value is T {
  const ajv = new Ajv({ strict: false, validateFormats: false, validateSchema: false });
  return ajv.compile<T>(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', target: 'draft-7' }));
}
