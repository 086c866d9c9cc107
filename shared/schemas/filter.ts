import { z } from 'zod';
import { timeWindowsSchema } from './time-window.ts';

/** A filter definition of the v1 format (completion 1.9). Unknown attributes are kept. */
export const filterSchema = z.looseObject({
  attributes: z
    .record(z.string(), z.unknown())
    .describe(
      'Conditions on the attributes of the event. All must hold. Objects may be nested. A text that begins with' +
        ' `eval:` is an expression.',
    ),
  negate: z.boolean().optional().meta({
    description: 'Whether the filter rejects the events that match, instead of the events that do not match.',
    default: false,
  }),
  when: timeWindowsSchema
    .optional()
    .describe(
      'Time windows by day of the week in which the filter applies. Outside of them it passes every event. Default:' +
        ' always.',
    ),
});

export type FilterDefinition = z.infer<typeof filterSchema>;
