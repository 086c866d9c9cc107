import { z } from 'zod';
import { answer } from './answer.ts';
import { nameSchema, subscriptionSchema } from './name.ts';

/** Most entries of one preview: as many as one dialog can make. */
const ENTRIES_MAX = 1000;

/** Body of `POST /api/mon/v1/silenced/preview`: what the entries would be made of; nothing is made. */
export const silencePreviewSchema = z.looseObject({
  entries: z
    .array(
      z
        .looseObject({ subscription: subscriptionSchema.nullish(), check: nameSchema.nullish() })
        .refine(({ subscription, check }) => (subscription ?? check ?? undefined) !== undefined, {
          message: 'at least one of subscription and check is required',
        }),
    )
    .min(1)
    .max(ENTRIES_MAX),
});

export type SilencePreviewRequest = z.infer<typeof silencePreviewSchema>;

/** What entries would have covered of late beside what they cover now. */
export const recentProblemsAnswer = answer(
  z.looseObject({
    /** Clients and checks that were not OK since then and have no open event now. */
    recovered: z.number(),
    /** Epoch seconds: 24 hours ago, or when the backend was started if that is later; before that nobody knows. */
    since: z.number(),
  }),
);
export type RecentProblems = z.infer<typeof recentProblemsAnswer>;
