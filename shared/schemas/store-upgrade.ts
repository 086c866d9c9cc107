import { z } from 'zod';
import { answer, texts } from './answer.ts';

/** Seconds; a day is more than any store takes. */
export const UPGRADE_TIMEOUT_MAX = 86_400;

/** `POST /api/mon/v1/store/upgrade`. */
export const storeUpgradeRequestSchema = z.strictObject({
  /** False: no backup is taken first. */
  backup: z.boolean().default(true),
  /** Seconds after which it stops; what is done stays done. */
  timeout: z.int().min(1).max(UPGRADE_TIMEOUT_MAX).optional(),
});

/** The schema version that a step leads to, and what it is called. */
const step = { version: z.number(), name: z.string() };

/** `GET /api/mon/v1/store/upgrade`. */
export const storeUpgradeAnswer = answer(
  z.looseObject({
    /** The schema version of the store, and the one that the program writes. */
    schema: z.number(),
    newest: z.number(),
    /** Steps that were not taken yet, with how many entries each goes through. */
    pending: z.array(z.looseObject({ ...step, entries: z.number() })),
    /** What keeps a step from being taken. Found before anything is changed. */
    obstacles: z.array(
      z.looseObject({
        /** As `the namespace nope does not exist`. */
        reason: z.string(),
        /** Which part of the service says so in the log, and what it says (reference 7). */
        component: z.string(),
        message: z.string(),
        /** Commands that remove it, in order. */
        remedy: texts,
      }),
    ),
    /** What became of the last upgrade that was asked for since the start of the backend. */
    run: z.looseObject({
      state: z.enum(['none', 'running', 'done', 'failed']),
      /**
       * How far a step is: entries looked at, and all there were when it began, to which more may come while a backend serves.
       * Undefined outside of its steps, as while the backup is taken.
       */
      progress: z.looseObject({ ...step, done: z.number(), total: z.number() }).optional(),
      /** The directory of its backup, once that is verified. */
      backup: z.string().optional(),
      /** Why it failed. */
      error: z.string().optional(),
    }),
  }),
);
export type StoreUpgradeStatus = z.infer<typeof storeUpgradeAnswer>;
export type PendingStep = StoreUpgradeStatus['pending'][number];
export type UpgradeObstacle = StoreUpgradeStatus['obstacles'][number];
export type UpgradeRun = StoreUpgradeStatus['run'];
export type StepProgress = NonNullable<UpgradeRun['progress']>;
