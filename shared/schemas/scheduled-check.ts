import { z } from 'zod';
import type { CheckDefinition } from './check.ts';
import { numberOrNull, textsSchema } from './response.ts';

/**
 * A check in the list `GET /api/mon/v1/checks`: its definition without secrets, its next run, and the counts of its
 * results.
 */
export type ScheduledCheck = CheckDefinition & {
  readonly name: string;
  /** Time of the next run in epoch seconds; null if the backend does not schedule the check. */
  readonly next_run: number | null;
  /** True while the check is in one of its subdue windows, in which it is not run. */
  readonly subdued?: true;
  /** Number of clients by the severity of their last result of the check. */
  readonly results: Readonly<Record<'ok' | 'warning' | 'critical' | 'unknown', number>>;
};

/** Schema of a check in `GET /api/mon/v1/checks`, with only the attributes that callers rely on, see `response.ts`. */
export const definedCheckResponse = z.looseObject({
  name: z.string(),
  command: z.union([z.string(), z.array(z.string())]).nullish(),
  subscribers: textsSchema.nullish(),
  interval: z.number().nullish(),
  cron: z.string().nullish(),
  /** Time of the next run in epoch seconds; null if the backend does not schedule the check. */
  next_run: numberOrNull,
  /** True while the check is in one of its subdue windows, in which it is not run; absent otherwise. */
  subdued: z.boolean().nullish(),
  /** Number of clients by the severity of their last result of the check; absent from an older backend. */
  results: z.looseObject({ ok: z.number(), warning: z.number(), critical: z.number(), unknown: z.number() }).nullish(),
});

/** A check that is defined on the backend, as a client reads it. */
export type DefinedCheck = z.infer<typeof definedCheckResponse>;
