import { z } from 'zod';
import { answer } from './answer.ts';
import { LIFETIME_SECONDS_MAX } from './lifetime.ts';

/** The `silence-policy` section of a configuration. A misspelt rule would be one that nobody keeps, so it is refused. */
export const silencePolicySettingsSchema = z.strictObject({
  reason: z.enum(['required', 'optional']).default('required').describe('Whether a silence must say why.'),
  'reason-pattern': z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('With `*` or `?` a pattern for the whole reason, else words that must all stand in it.'),
  'max-expire': z
    .int()
    .min(1)
    .max(LIFETIME_SECONDS_MAX)
    .optional()
    .describe('Seconds that a silence may last at most; one that never ends is refused then.'),
  'warn-matches': z.int().min(1).default(50).describe('Matching events from which on a console asks again.'),
  'apply-to-legacy': z
    .boolean()
    .default(false)
    .describe('Whether `POST /silenced` is held to it too; scripts that know nothing of it may then fail.'),
});

export type SilencePolicySettings = z.infer<typeof silencePolicySettingsSchema>;

/** `GET /api/mon/v1/silence-policy`: what a silence must keep to. */
export const silencePolicyAnswer = answer(
  z.looseObject({
    reason: z.enum(['required', 'optional']),
    /** With `*` or `?` a pattern for the whole reason, else words that must all stand in it; null: any reason will do. */
    reason_pattern: z.string().nullable(),
    /** Seconds; null: it may last for ever. */
    max_expire: z.number().nullable(),
    /** Matching events from which on a console asks again. */
    warn_matches: z.number(),
    apply_to_legacy: z.boolean(),
  }),
);
export type SilencePolicy = z.infer<typeof silencePolicyAnswer>;
