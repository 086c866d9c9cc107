import { z } from 'zod';
import { timeWindowsSchema } from './time-window.ts';

/** A filter definition (completion 1.9). Unknown attributes are kept. */
export const filterSchema = z.looseObject({
  /** What the event is compared with, attribute by attribute, objects inside of objects. */
  attributes: z.record(z.string(), z.unknown()),
  /** Whether events that match are kept out instead of let through. */
  negate: z.boolean().optional(),
  /** Outside of these windows the filter lets everything through. */
  when: timeWindowsSchema.optional(),
});

export type FilterDefinition = z.infer<typeof filterSchema>;
