import { z } from 'zod';
import { answer } from './answer.ts';
import { LIFETIME_SECONDS_MAX } from './lifetime.ts';

/**
 * The `silence-policy` section of a configuration. Unknown attributes are rejected, since a misspelled rule would have
 * no effect.
 */
export const silencePolicySettingsSchema = z.strictObject({
  reason: z.enum(['required', 'optional']).default('required').describe('Whether a silence needs a reason.'),
  'reason-pattern': z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('Pattern for the whole reason if it contains `*` or `?`, else words that the reason must contain.'),
  'max-expire': z
    .int()
    .min(1)
    .max(LIFETIME_SECONDS_MAX)
    .optional()
    .describe('Maximum duration of a silence in seconds; silences that never expire are then refused.'),
  'warn-matches': z
    .int()
    .min(1)
    .default(50)
    .describe('Number of matching events above which the console asks for confirmation.'),
  'apply-to-legacy': z
    .boolean()
    .default(false)
    .describe('Apply these rules to `POST /silenced` of the v1 API too; existing scripts may then fail.'),
});

export type SilencePolicySettings = z.infer<typeof silencePolicySettingsSchema>;

/** `GET /api/mon/v1/silence-policy`: the rules for silences. */
export const silencePolicyAnswer = answer(
  z.looseObject({
    reason: z.enum(['required', 'optional']),
    /**
     * A pattern for the whole reason if it contains `*` or `?`, else words that the reason must contain; null: any
     * reason.
     */
    reason_pattern: z.string().nullable(),
    /** Seconds; null: unlimited. */
    max_expire: z.number().nullable(),
    /** Number of matching events above which the console asks for confirmation. */
    warn_matches: z.number(),
    apply_to_legacy: z.boolean(),
  }),
);
export type SilencePolicy = z.infer<typeof silencePolicyAnswer>;
