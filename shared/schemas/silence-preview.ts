import { z } from 'zod';
import { answer } from './answer.ts';
import { recurrenceSchema, windowAnswer } from './recurrence.ts';
import { isOneTarget, silencedTarget, TARGET_MESSAGE } from './silenced.ts';

/** Maximum number of silences in one preview: as many as one dialog can create. */
const ENTRIES_MAX = 1000;

/** Body of `POST /api/mon/v1/silenced/preview`: the targets of the silences. Nothing is created. */
export const silencePreviewSchema = z.looseObject({
  entries: z
    .array(z.looseObject(silencedTarget).refine(isOneTarget, { message: TARGET_MESSAGE }))
    .min(1)
    .max(ENTRIES_MAX),
  /** The recurrence of the silences; absent if they do not recur. */
  recurrence: recurrenceSchema.nullish(),
});

export type SilencePreviewRequest = z.infer<typeof silencePreviewSchema>;

/** The events that silences would cover now, and those they would have covered recently. */
export const recentProblemsAnswer = answer(
  z.looseObject({
    /** Number of clients and checks that were not OK since then and have no open event now. */
    recovered: z.number(),
    /** Epoch seconds: 24 hours ago, or the start of the backend if that is later; earlier problems are unknown. */
    since: z.number(),
    /** Open events that they would silence now; absent from a backend that counts them for selectors only. */
    events: z
      .object({
        total: z.number(),
        critical: z.number(),
        warning: z.number(),
        unknown: z.number(),
        ok: z.number(),
        /** Number of them that are silenced already. */
        silenced: z.number(),
        /** The first few, as `client/check`. */
        first: z.array(z.string()),
      })
      .optional(),
    /** The active window and the next ones, at most five; absent if they do not recur. */
    windows: z.array(windowAnswer).optional(),
  }),
);
export type RecentProblems = z.infer<typeof recentProblemsAnswer>;
