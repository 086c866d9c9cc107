import { z } from 'zod';
import { groupNamesSchema } from './grouping.ts';

const searchSchema = z.string().min(1, 'must name something').max(1024);

/** An inhibition (inhibition 1): while there is an event that `when` finds, what `quiet` finds is not told. */
export const inhibitionSchema = z.strictObject({
  when: searchSchema,
  quiet: searchSchema,
  /** What both have in common: as `group_by` of a handler. */
  equal: groupNamesSchema.default([]),
});

export type InhibitionDefinition = z.infer<typeof inhibitionSchema>;

/** An inhibition as the API shows it. */
export const inhibitionAnswer = z.looseObject({
  name: z.string(),
  when: z.string(),
  quiet: z.string(),
  equal: z.array(z.string()),
  /** The number of open events that it inhibits now, as of their last results. */
  inhibited: z.number().exactOptional(),
  /** At most 100 events that inhibit others by this rule now; `inhibited`: the number of events that each inhibits. */
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

/** Handlers that are remembered by name of whom an inhibition keeps an event from; of more it is all of them. */
export const WITHHELD_NAMES_MAX = 20;

/** What keeps an open event quiet, as of its last result. */
export const inhibitedSchema = z.object({
  /** The name of the inhibition, and a number made of all that it said. */
  rule: z.string(),
  mark: z.string(),
  /** Of the event that does it. */
  client: z.string(),
  check: z.string(),
  /** Whether a handler would have run without it, and none has run since. */
  isWithheld: z.literal(true).optional(),
  /** Those handlers; absent: there are too many to name, or nobody noted them. */
  withheldFrom: z.array(z.string()).max(WITHHELD_NAMES_MAX).optional(),
  /** Made of what both have in common; absent in what was written before it was kept. */
  common: z.string().max(100).optional(),
});
export type Inhibited = Readonly<z.infer<typeof inhibitedSchema>>;

/** Who keeps an event from handlers. */
export const inhibitorSchema = z.object({
  /** The name of the inhibition. */
  rule: z.string(),
  /** Of the event that does it. */
  client: z.string(),
  check: z.string(),
});
export type Inhibitor = Readonly<z.infer<typeof inhibitorSchema>>;
