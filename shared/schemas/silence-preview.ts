import { z } from 'zod';
import { answer } from './answer.ts';
import { recurrenceSchema, windowAnswer } from './recurrence.ts';
import { isOneTarget, silencedTarget, TARGET_MESSAGE } from './silenced.ts';

/** Most entries of one preview: as many as one dialog can make. */
const ENTRIES_MAX = 1000;

/** Body of `POST /api/mon/v1/silenced/preview`: what the entries would be made of; nothing is made. */
export const silencePreviewSchema = z.looseObject({
  entries: z
    .array(z.looseObject(silencedTarget).refine(isOneTarget, { message: TARGET_MESSAGE }))
    .min(1)
    .max(ENTRIES_MAX),
  /** When they would be in force again and again; absent: once. */
  recurrence: recurrenceSchema.nullish(),
});

export type SilencePreviewRequest = z.infer<typeof silencePreviewSchema>;

/** What entries would have covered of late beside what they cover now. */
export const recentProblemsAnswer = answer(
  z.looseObject({
    /** Clients and checks that were not OK since then and have no open event now. */
    recovered: z.number(),
    /** Epoch seconds: 24 hours ago, or when the backend was started if that is later; before that nobody knows. */
    since: z.number(),
    /** Open events that they would silence now; absent: a backend that counts them for selectors alone. */
    events: z
      .object({
        total: z.number(),
        critical: z.number(),
        warning: z.number(),
        unknown: z.number(),
        ok: z.number(),
        /** How many of them are silenced already. */
        silenced: z.number(),
        /** The first few, as `client/check`. */
        first: z.array(z.string()),
      })
      .optional(),
    /** The window in force and the next ones, five at most; absent: they would not recur. */
    windows: z.array(windowAnswer).optional(),
  }),
);
export type RecentProblems = z.infer<typeof recentProblemsAnswer>;
