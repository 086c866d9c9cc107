import { z } from 'zod';
import { responseSchema } from './response.ts';
import { LIFETIME_SECONDS_MAX } from './lifetime.ts';

/**
 * The `silence-policy` section of a configuration. Unknown attributes are rejected, because nothing would enforce them.
 */
export const silencePolicySettingsSchema = z.strictObject({
  reason: z.enum(['required', 'optional']).default('required').describe('Whether a new silence must have a reason.'),
  'reason-pattern': z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe(
      'Text that the reason for a silence must contain, or a pattern with `*` or `?` that the whole reason must match.',
    ),
  'max-expire': z
    .int()
    .min(1)
    .max(LIFETIME_SECONDS_MAX)
    .optional()
    .describe('Maximum duration of a silence in seconds. If set, silences that never expire are rejected.'),
  'apply-to-v1': z
    .boolean()
    .default(false)
    .describe(
      'Apply the silence policy also to `POST /silenced` of the v1 API. Scripts that send no reason then fail.',
    ),
});

export type SilencePolicySettings = z.infer<typeof silencePolicySettingsSchema>;

/** The rules for new silences: `GET /api/mon/v1/silence-policy`. */
export const silencePolicyResponse = responseSchema(
  z.looseObject({
    reason: z.enum(['required', 'optional']),
    /**
     * A pattern with `*` or `?` that the whole reason must match, or a text that the reason must contain; null: any
     * reason.
     */
    reason_pattern: z.string().nullable(),
    /** Maximum duration of a silence in seconds; null: unlimited. */
    max_expire: z.number().nullable(),
    /** Number of matching events from which the console asks for confirmation. */
    warn_matches: z.number(),
    apply_to_v1: z.boolean(),
  }),
);
export type SilencePolicy = z.infer<typeof silencePolicyResponse>;
