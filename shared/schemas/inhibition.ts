import { z } from 'zod';
import { groupNamesSchema } from './grouping.ts';

const searchSchema = z.string().min(1, 'must not be empty').max(1024);

/**
 * An inhibition rule (inhibition 1): while an event that matches `source` fires, events that match `target` are not
 * notified.
 */
export const inhibitionSchema = z.strictObject({
  source: searchSchema.describe('Filter that selects the events that inhibit others.'),
  target: searchSchema.describe('Filter that selects the events that are inhibited.'),
  equal: groupNamesSchema
    .default([])
    .describe('Attributes that must be equal in both events, with names as in `group_by`. Default: none.'),
});

export type InhibitionDefinition = z.infer<typeof inhibitionSchema>;

/** An inhibition rule in the format of the API. */
export const inhibitionResponse = z.looseObject({
  name: z.string(),
  source: z.string(),
  target: z.string(),
  equal: z.array(z.string()),
  /** Number of open events that the rule inhibits, as of their last results. */
  inhibited: z.number().exactOptional(),
  /**
   * The events that currently inhibit others by this rule, at most 100. `inhibited` is the number of events that each
   * of them inhibits.
   */
  inhibitors: z.array(
    z.looseObject({
      namespace: z.string(),
      client: z.string(),
      check: z.string(),
      inhibited: z.number().exactOptional(),
    }),
  ),
});
export type InhibitionRow = z.infer<typeof inhibitionResponse>;

/** The inhibition rule and the event by which another event is inhibited. */
export const inhibitorSchema = z.object({
  rule: z.string().describe('Name of the inhibition rule.'),
  client: z.string().describe('Client of the inhibiting event.'),
  check: z.string().describe('Check of the inhibiting event.'),
});
export type Inhibitor = Readonly<z.infer<typeof inhibitorSchema>>;
