import { z } from 'zod';
import { responseSchema, textsSchema } from './response.ts';

/** Maximum timeout of a store upgrade in seconds. No store needs more than a day. */
export const UPGRADE_TIMEOUT_MAX = 86_400;

/** Body of `POST /api/mon/v1/store/upgrade`. */
export const storeUpgradeRequestSchema = z.strictObject({
  /** Whether to make a backup before the upgrade. */
  backup: z.boolean().default(true),
  /** Seconds after which the upgrade stops. Finished work is not undone. */
  timeout: z.int().min(1).max(UPGRADE_TIMEOUT_MAX).optional(),
});

/** A step of a store upgrade: the schema version after it, and its name. */
const stepAttributes = { version: z.number(), name: z.string() };

/** The status of the store upgrade: `GET /api/mon/v1/store/upgrade`. */
export const storeUpgradeResponse = responseSchema(
  z.looseObject({
    /** The schema version of the store, and the newest one that the program supports. */
    schema: z.number(),
    newest: z.number(),
    /** Remaining steps, each with the number of entries that it has to process. */
    pending: z.array(z.looseObject({ ...stepAttributes, entries: z.number() })),
    /** Reasons why a step is not possible, which are found before anything is changed. */
    obstacles: z.array(
      z.looseObject({
        /** The obstacle, such as `the namespace nope does not exist`. */
        reason: z.string(),
        /** Details for operators, which the log omits, such as `checks refer to it`. */
        detail: z.string().optional(),
        /** The component and the message of the log record (reference 7). */
        component: z.string(),
        message: z.string(),
        /** Commands that remove the obstacle, in order. */
        remedy: textsSchema,
      }),
    ),
    /** The last upgrade that was requested since the backend started. */
    run: z.looseObject({
      state: z.enum(['none', 'running', 'done', 'failed']),
      /**
       * Progress of the current step: the number of processed entries, and the total when the step began, which may
       * grow while a backend serves. Absent outside of steps, for example during the backup.
       */
      progress: z.looseObject({ ...stepAttributes, done: z.number(), total: z.number() }).optional(),
      /** Directory of the backup; present once the backup is verified. */
      backup: z.string().optional(),
      /** The reason why the upgrade failed. */
      error: z.string().optional(),
    }),
  }),
);
export type StoreUpgradeStatus = z.infer<typeof storeUpgradeResponse>;
export type PendingStep = StoreUpgradeStatus['pending'][number];
export type UpgradeObstacle = StoreUpgradeStatus['obstacles'][number];
export type UpgradeRun = StoreUpgradeStatus['run'];
export type StepProgress = NonNullable<UpgradeRun['progress']>;
