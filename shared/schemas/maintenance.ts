import { z } from 'zod';
import { isOneTarget, silencedTarget, TARGET_MESSAGE } from './silenced.ts';

/** Maximum time that a silence is held without renewal, and so that it outlives its holder (spec, maintenance 1). */
export const HOLD_SECONDS_MAX = 60;

const target = {
  ...silencedTarget,
  /** Random id that the holder chooses, so that no other run has it. */
  run: z.string().min(8).max(64),
};

const MESSAGE = { message: TARGET_MESSAGE };

/** Body of `POST /api/mon/v1/silenced/hold`. */
export const holdSchema = z
  .object({
    ...target,
    /** Duration until the next renewal. */
    seconds: z.int().min(1).max(HOLD_SECONDS_MAX),
    /**
     * Whether this is a renewal: if the silence does not exist, somebody has cleared it, and it is not created again.
     */
    renews: z.boolean().optional(),
    reason: z.string().max(10_000).nullish(),
    creator: z.string().max(255).nullish(),
  })
  .refine(isOneTarget, MESSAGE);
export type HoldRequest = z.infer<typeof holdSchema>;

/** Body of `POST /api/mon/v1/silenced/release`. */
export const releaseSchema = z.object(target).refine(isOneTarget, MESSAGE);
export type ReleaseRequest = z.infer<typeof releaseSchema>;
