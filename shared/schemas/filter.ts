import { z } from 'zod';
import { timeWindowsSchema } from './time-window.ts';

/** A filter definition of the v1 format (completion 1.9). Unknown attributes are kept. */
export const filterSchema = z.looseObject({
  /** Conditions on the attributes of the event, by attribute name. Objects may be nested. */
  attributes: z.record(z.string(), z.unknown()),
  /** True to reject matching events, instead of all other events. */
  negate: z.boolean().optional(),
  /** Windows in which the filter applies. Outside of them it passes every event. */
  when: timeWindowsSchema.optional(),
});

export type FilterDefinition = z.infer<typeof filterSchema>;
