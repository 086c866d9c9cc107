import { z } from 'zod';
import { isOneTarget, silencedTarget, TARGET_MESSAGE } from './silenced.ts';

/** Longest time that a silence is held without being renewed: so long it outlives whoever held it (spec, maintenance 1). */
export const HOLD_SECONDS_MAX = 60;

const target = {
  ...silencedTarget,
  /** Chosen by whoever holds it, and known to nobody else by chance. */
  run: z.string().min(8).max(64),
};

const MESSAGE = { message: TARGET_MESSAGE };

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
  .refine(isOneTarget, MESSAGE);
export type HoldRequest = z.infer<typeof holdSchema>;

/** Body of `POST /api/mon/v1/silenced/release`. */
export const releaseSchema = z.object(target).refine(isOneTarget, MESSAGE);
export type ReleaseRequest = z.infer<typeof releaseSchema>;
