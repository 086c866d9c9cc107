import { z } from 'zod';
import type { CheckDefinition } from './check.ts';
import { numberOrNull, texts } from './answer.ts';

/** An item of `GET /api/mon/v1/checks`: the redacted definition, its next run, and its results. */
export type ScheduledCheck = CheckDefinition & {
  readonly name: string;
  /** Epoch seconds; null if the backend does not schedule the check. */
  readonly next_run: number | null;
  /** True while the check is in one of its subdue windows, in which it is not run. */
  readonly subdued?: true;
  /** Number of clients by the severity of their last result. */
  readonly results: Readonly<Record<'ok' | 'warning' | 'critical' | 'unknown', number>>;
};

/** The attributes that callers rely on, see `answer.ts`. */
export const definedCheckAnswer = z.looseObject({
  name: z.string(),
  command: z.union([z.string(), z.array(z.string())]).nullish(),
  subscribers: texts.nullish(),
  interval: z.number().nullish(),
  cron: z.string().nullish(),
  /** Epoch seconds; null if the backend does not schedule the check. */
  next_run: numberOrNull,
  /** True while the check is in one of its subdue windows, in which it is not run; absent otherwise. */
  subdued: z.boolean().nullish(),
  /** Number of clients by the severity of their last result; older backends do not count them. */
  results: z.looseObject({ ok: z.number(), warning: z.number(), critical: z.number(), unknown: z.number() }).nullish(),
});

/** A check that the backend publishes, with its whole definition. */
export type DefinedCheck = z.infer<typeof definedCheckAnswer>;
