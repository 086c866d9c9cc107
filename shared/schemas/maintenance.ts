import { z } from 'zod';
import { isOneTarget, silencedTarget, TARGET_MESSAGE } from './silenced.ts';

/**
 * Maximum seconds between two renewals of a maintenance silence. If the command that renews it is killed, the silence
 * ends after this time (spec, maintenance 1).
 */
export const HOLD_SECONDS_MAX = 60;

const maintenanceTarget = {
  ...silencedTarget,
  /** Random id that a command chooses for its run, so that no other run can renew or end its silence. */
  run: z.string().min(8).max(64),
};

const TARGET_ERROR = { message: TARGET_MESSAGE };

/** Body of `POST /api/mon/v1/silenced/hold`. */
export const holdSchema = z
  .object({
    ...maintenanceTarget,
    /** Seconds after which the silence ends unless it is renewed. */
    seconds: z.int().min(1).max(HOLD_SECONDS_MAX),
    /** True for a renewal: if the silence no longer exists, somebody has cleared it, and it is not created again. */
    renews: z.boolean().optional(),
    reason: z.string().max(10_000).nullish(),
    creator: z.string().max(255).nullish(),
  })
  .refine(isOneTarget, TARGET_ERROR);
export type HoldRequest = z.infer<typeof holdSchema>;

/** Body of `POST /api/mon/v1/silenced/release`. */
export const releaseSchema = z.object(maintenanceTarget).refine(isOneTarget, TARGET_ERROR);
export type ReleaseRequest = z.infer<typeof releaseSchema>;
