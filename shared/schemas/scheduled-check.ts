import { z } from 'zod';
import type { CheckDefinition } from './check.ts';
import { numberOrNull, texts } from './answer.ts';

/** An item of `GET /api/mon/v1/checks`: the definition, redacted, when the backend asks for it next, and how it is doing. */
export type ScheduledCheck = CheckDefinition & {
  readonly name: string;
  /** Epoch seconds; null when the backend does not ask for it by the clock. */
  readonly next_run: number | null;
  /** True while it is in one of its subdue windows, in which it is not run. */
  readonly subdued?: true;
  /** Clients by the severity of their last result. */
  readonly results: Readonly<Record<'ok' | 'warning' | 'critical' | 'unknown', number>>;
};

/** As callers rely on it, see `answer.ts`. */
export const definedCheckAnswer = z.looseObject({
  name: z.string(),
  command: z.union([z.string(), z.array(z.string())]).nullish(),
  subscribers: texts.nullish(),
  interval: z.number().nullish(),
  cron: z.string().nullish(),
  /** Epoch seconds; null when the backend does not ask for it by the clock. */
  next_run: numberOrNull,
  /** True while it is in one of its subdue windows, in which it is not run; absent: it is not. */
  subdued: z.boolean().nullish(),
  /** Clients by the severity of their last result; older backends do not count them. */
  results: z.looseObject({ ok: z.number(), warning: z.number(), critical: z.number(), unknown: z.number() }).nullish(),
});

/** A check that the backend publishes, with its whole definition. */
export type DefinedCheck = z.infer<typeof definedCheckAnswer>;
