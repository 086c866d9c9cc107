import { z } from 'zod';
import { responseSchema } from './response.ts';
import { recurrenceSchema, windowResponse } from './recurrence.ts';
import { isOneTarget, silencedTarget, TARGET_MESSAGE } from './silenced.ts';

/** Maximum number of silences in one preview. One dialog of the console can create as many. */
const ENTRIES_MAX = 1000;

/**
 * Body of `POST /api/mon/v1/silenced/preview`: the targets of silences that do not exist yet. The request creates
 * nothing.
 */
export const silencePreviewSchema = z.looseObject({
  entries: z
    .array(z.looseObject(silencedTarget).refine(isOneTarget, { message: TARGET_MESSAGE }))
    .min(1)
    .max(ENTRIES_MAX),
  /** The recurrence of the silences; absent if they do not recur. */
  recurrence: recurrenceSchema.nullish(),
});

export type SilencePreviewRequest = z.infer<typeof silencePreviewSchema>;

/**
 * The response of a preview: the events that the silences would cover now, and those that they would have covered
 * recently.
 */
export const recentProblemsResponse = responseSchema(
  z.looseObject({
    /** Number of checks on clients that were not OK at some time after `since`, and have no open event now. */
    recovered: z.number(),
    /**
     * Start of the period for `recovered`, in epoch seconds: 24 hours ago, or the start of the backend if that is
     * later.
     */
    since: z.number(),
    /**
     * Numbers of open events that the silences would cover now; absent from an older backend that counts them for
     * selectors only.
     */
    events: z
      .object({
        total: z.number(),
        critical: z.number(),
        warning: z.number(),
        unknown: z.number(),
        ok: z.number(),
        /** Number of these events that are already silenced. */
        silenced: z.number(),
        /** The first few of these events, as `client/check`. */
        first: z.array(z.string()),
      })
      .optional(),
    /** The active window of the recurrence and the next ones, at most five; absent if the silences do not recur. */
    windows: z.array(windowResponse).optional(),
  }),
);
export type RecentProblems = z.infer<typeof recentProblemsResponse>;
