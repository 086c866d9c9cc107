import { z } from 'zod';
import { timeWindowsSchema } from './time-window.ts';

/** Longest expression behind `eval:` (completion 1.9). */
const EXPRESSION_LENGTH_MAX = 1024;

const EXPRESSION = /^eval:/;

/** A filter definition (completion 1.9). Unknown attributes are kept. */
export const filterSchema = z.looseObject({
  /** What the event is compared with, attribute by attribute, objects inside of objects. */
  attributes: z.record(z.string(), z.unknown()).superRefine((attributes, context) => {
    for (const path of longExpressions(attributes)) {
      context.addIssue({
        code: 'custom',
        path,
        message: `an expression must be at most ${String(EXPRESSION_LENGTH_MAX)} characters long`,
      });
    }
  }),
  /** Whether events that match are kept out instead of let through. */
  negate: z.boolean().optional(),
  /** Outside of these windows the filter lets everything through. */
  when: timeWindowsSchema.optional(),
});

export type FilterDefinition = z.infer<typeof filterSchema>;

function* longExpressions(value: unknown, path: readonly string[] = []): Generator<string[]> {
  if (typeof value === 'string') {
    if (EXPRESSION.test(value) && value.length > EXPRESSION_LENGTH_MAX) yield [...path];
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, item] of Object.entries(value)) yield* longExpressions(item, [...path, name]);
  }
}
