import { z } from 'zod';
import { nameSchema, subscriptionSchema } from './name.ts';

/** Longest time that a silence is held without being renewed: so long it outlives whoever held it (spec, maintenance 1). */
export const HOLD_SECONDS_MAX = 60;

const target = {
  subscription: subscriptionSchema.nullish(),
  check: nameSchema.nullish(),
  /** Chosen by whoever holds it, and known to nobody else by chance. */
  run: z.string().min(8).max(64),
};

const hasTarget = (body: { readonly subscription?: unknown; readonly check?: unknown }): boolean =>
  (body.subscription ?? body.check ?? undefined) !== undefined;

const MESSAGE = { message: 'at least one of subscription and check is required' };

/** Body of `POST /api/mon/v1/silenced/hold`. */
export const holdSchema = z
  .object({
    ...target,
    /** How long unless it is renewed. */
    seconds: z.int().min(1).max(HOLD_SECONDS_MAX),
    /** It was held until now: if it is not there, somebody has cleared it, and it is not made again. */
    renews: z.boolean().optional(),
    reason: z.string().max(10_000).nullish(),
    creator: z.string().max(255).nullish(),
  })
  .refine(hasTarget, MESSAGE);
export type HoldRequest = z.infer<typeof holdSchema>;

/** Body of `POST /api/mon/v1/silenced/release`. */
export const releaseSchema = z.object(target).refine(hasTarget, MESSAGE);
export type ReleaseRequest = z.infer<typeof releaseSchema>;
