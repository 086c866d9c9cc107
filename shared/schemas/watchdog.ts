import { z } from 'zod';
import { DURATION_VALUE, durationSchema } from './duration.ts';
import { nameSchema } from './name.ts';

/** Name of the client to which the results and events of watchdogs belong. Each watchdog is one of its checks. */
export const WATCHDOGS_CLIENT = 'mon.watchdogs';

const WATCHDOGS_MAX = 100;

/** Maximum of `within` in seconds: a year. */
const WITHIN_SECONDS_MAX = 31_536_000;

/** A rule that opens an event if no result or alert comes within a time (spec, watchdogs 1). */
export const watchdogSchema = z.strictObject({
  expect: z
    .string()
    .max(600)
    .regex(
      /^(?:check [^\s/]+(?:\/[^\s/]+)?|alert [^\s/]+)$/,
      'must be check CLIENT/CHECK, check NAME or alert NAME, such as check db-1/backup',
    )
    .describe('The result or alert that must come: `check CLIENT/CHECK`, `check NAME` of any client, or `alert NAME`.'),
  within: durationSchema(1, WITHIN_SECONDS_MAX).meta({
    'x-value': DURATION_VALUE,
    description: 'Time within which the next one must come, at most a year.',
  }),
  check: z
    .record(z.string(), z.unknown())
    .default({})
    .describe(
      'Further attributes of the results, such as `handlers` or `runbook`. Any attribute of a check is allowed.',
    ),
});
export type Watchdog = z.infer<typeof watchdogSchema>;

/** Watchdogs by name. The name of a watchdog is also the name of its check. */
export const watchdogsSchema = z
  .record(nameSchema, watchdogSchema)
  .refine((watchdogs) => Object.keys(watchdogs).length <= WATCHDOGS_MAX, `must be at most ${String(WATCHDOGS_MAX)}`)
  .prefault({});
