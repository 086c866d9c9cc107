import { z } from 'zod';
import { answer, texts } from './answer.ts';

/** Maximum timeout in seconds; a day is more than any store needs. */
export const UPGRADE_TIMEOUT_MAX = 86_400;

/** `POST /api/mon/v1/store/upgrade`. */
export const storeUpgradeRequestSchema = z.strictObject({
  /** Whether to take a backup first. */
  backup: z.boolean().default(true),
  /** Seconds after which it stops; finished work is kept. */
  timeout: z.int().min(1).max(UPGRADE_TIMEOUT_MAX).optional(),
});

/** The schema version that a step leads to, and its name. */
const step = { version: z.number(), name: z.string() };

/** `GET /api/mon/v1/store/upgrade`. */
export const storeUpgradeAnswer = answer(
  z.looseObject({
    /** The schema version of the store, and the newest one that the program supports. */
    schema: z.number(),
    newest: z.number(),
    /** Steps that remain, with the number of entries that each processes. */
    pending: z.array(z.looseObject({ ...step, entries: z.number() })),
    /** Obstacles to a step, found before anything is changed. */
    obstacles: z.array(
      z.looseObject({
        /** The reason, such as `the namespace nope does not exist`. */
        reason: z.string(),
        /** More about the reason for operators, which the log omits, such as `checks refer to it`. */
        detail: z.string().optional(),
        /** The component and message in the log (reference 7). */
        component: z.string(),
        message: z.string(),
        /** Commands that remove the obstacle, in order. */
        remedy: texts,
      }),
    ),
    /** The last upgrade that was requested since the start of the backend. */
    run: z.looseObject({
      state: z.enum(['none', 'running', 'done', 'failed']),
      /**
       * Progress of a step: processed entries, and the total when it began, which may grow while a backend serves.
       * Absent outside of steps, for example during the backup.
       */
      progress: z.looseObject({ ...step, done: z.number(), total: z.number() }).optional(),
      /** The directory of its backup, once it is verified. */
      backup: z.string().optional(),
      /** The reason of the failure. */
      error: z.string().optional(),
    }),
  }),
);
export type StoreUpgradeStatus = z.infer<typeof storeUpgradeAnswer>;
export type PendingStep = StoreUpgradeStatus['pending'][number];
export type UpgradeObstacle = StoreUpgradeStatus['obstacles'][number];
export type UpgradeRun = StoreUpgradeStatus['run'];
export type StepProgress = NonNullable<UpgradeRun['progress']>;
