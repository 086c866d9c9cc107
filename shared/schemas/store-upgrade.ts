import { z } from 'zod';
import { texts } from './answer.ts';

/** A step of the store's schema that was not taken yet. */
export interface PendingStep {
  /** The schema version that it leads to. */
  readonly version: number;
  readonly name: string;
  /** How many entries it goes through. */
  readonly entries: number;
}

/** What keeps a step from being taken. Found before anything is changed. */
export interface UpgradeObstacle {
  /** As `the namespace nope does not exist`. */
  readonly reason: string;
  /** Which part of the service says so in the log, and what it says (reference 7). */
  readonly component: string;
  readonly message: string;
  /** Commands that remove it, in order. */
  readonly remedy: readonly string[];
}

/** How far a step is. */
export interface StepProgress {
  readonly version: number;
  readonly name: string;
  /** Entries looked at, and all there were when it began: more may come while a backend serves. */
  readonly done: number;
  readonly total: number;
}

/** What became of the last upgrade that was asked for since the start of the backend. */
export interface UpgradeRun {
  readonly state: 'none' | 'running' | 'done' | 'failed';
  /** Undefined outside of its steps, as while the backup is taken. */
  readonly progress?: StepProgress | undefined;
  /** The directory of its backup, once that is verified. */
  readonly backup?: string | undefined;
  /** Why it failed. */
  readonly error?: string | undefined;
}

/** `GET /api/mon/v1/store/upgrade`. */
export interface StoreUpgradeStatus {
  /** The schema version of the store, and the one that the program writes. */
  readonly schema: number;
  readonly newest: number;
  readonly pending: readonly PendingStep[];
  readonly obstacles: readonly UpgradeObstacle[];
  readonly run: UpgradeRun;
}

/** Seconds; a day is more than any store takes. */
export const UPGRADE_TIMEOUT_MAX = 86_400;

/** `POST /api/mon/v1/store/upgrade`. */
export const storeUpgradeRequestSchema = z.strictObject({
  /** False: no backup is taken first. */
  backup: z.boolean().default(true),
  /** Seconds after which it stops; what is done stays done. */
  timeout: z.int().min(1).max(UPGRADE_TIMEOUT_MAX).optional(),
});

const step = { version: z.number(), name: z.string() };

/** As callers rely on it, see `answer.ts`. */
export const storeUpgradeAnswer: z.ZodType<StoreUpgradeStatus> = z.looseObject({
  schema: z.number(),
  newest: z.number(),
  pending: z.array(z.looseObject({ ...step, entries: z.number() })),
  obstacles: z.array(z.looseObject({ reason: z.string(), component: z.string(), message: z.string(), remedy: texts })),
  run: z.looseObject({
    state: z.enum(['none', 'running', 'done', 'failed']),
    progress: z.looseObject({ ...step, done: z.number(), total: z.number() }).optional(),
    backup: z.string().optional(),
    error: z.string().optional(),
  }),
});
