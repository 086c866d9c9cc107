import { z } from 'zod';
import { timeWindowsSchema } from './time-window.ts';

/** A filter definition (completion 1.9). Unknown attributes are kept. */
export const filterSchema = z.looseObject({
  /** The conditions on the event, by attribute; objects may be nested. */
  attributes: z.record(z.string(), z.unknown()),
  /** Whether matching events are rejected instead of passed. */
  negate: z.boolean().optional(),
  /** Outside of these windows the filter passes every event. */
  when: timeWindowsSchema.optional(),
});

export type FilterDefinition = z.infer<typeof filterSchema>;
