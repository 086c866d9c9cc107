import { Ajv } from 'ajv';
import { z } from 'zod';

const ajv = new Ajv({ strict: false, validateFormats: false, validateSchema: false });

/**
 * A schema as compiled code, for what is checked thousands of times a second: zod takes several times as long. The zod
 * schema stays the only source. Refinements are not part of it, since a JSON schema cannot say them.
 */
export function compileSchema<T>(schema: z.ZodType<T>): (value: unknown) => value is T {
  return ajv.compile<T>(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', target: 'draft-7' }));
}
