import { z } from 'zod';
import { groupNamesSchema } from './grouping.ts';

const searchSchema = z.string().min(1, 'must not be empty').max(1024);

/**
 * An inhibition rule (inhibition 1): while an event that matches `source` fires, events that match `target` are not
 * notified.
 */
export const inhibitionSchema = z.strictObject({
  /** Search for the events that inhibit. */
  source: searchSchema,
  /** Search for the events that are inhibited. */
  target: searchSchema,
  /** Attributes that both must have in common, with names as in `group_by` of a handler. */
  equal: groupNamesSchema.default([]),
});

export type InhibitionDefinition = z.infer<typeof inhibitionSchema>;

/** An inhibition rule in the format of the API. */
export const inhibitionAnswer = z.looseObject({
  name: z.string(),
  source: z.string(),
  target: z.string(),
  equal: z.array(z.string()),
  /** Number of open events that it inhibits now, as of their last results. */
  inhibited: z.number().exactOptional(),
  /**
   * The events that inhibit others by this rule now, at most 100. `inhibited` is the number of events that each of them
   * inhibits.
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
export type InhibitionRow = z.infer<typeof inhibitionAnswer>;

/**
 * Maximum number of stored names of handlers that an inhibition suppresses an event for; with more, it counts for all
 * handlers.
 */
export const WITHHELD_NAMES_MAX = 20;

/** The inhibition of an open event, as of its last result. */
export const inhibitedSchema = z.object({
  /** The name of the rule, and a hash of its definition. */
  rule: z.string(),
  mark: z.string(),
  /** Client and check of the inhibiting event. */
  client: z.string(),
  check: z.string(),
  /** Whether a handler would have run without the inhibition, and none has run since. */
  isWithheld: z.literal(true).optional(),
  /** Names of these handlers; absent if they are too many, or were not recorded. */
  withheldFrom: z.array(z.string()).max(WITHHELD_NAMES_MAX).optional(),
  /** Key of the shared values; absent in records of older versions. */
  common: z.string().max(100).optional(),
});
export type Inhibited = Readonly<z.infer<typeof inhibitedSchema>>;

/** The rule and event that suppress another event. */
export const inhibitorSchema = z.object({
  /** The name of the rule. */
  rule: z.string(),
  /** Client and check of the inhibiting event. */
  client: z.string(),
  check: z.string(),
});
export type Inhibitor = Readonly<z.infer<typeof inhibitorSchema>>;
