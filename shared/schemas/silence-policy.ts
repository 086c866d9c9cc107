import { z } from 'zod';
import { LIFETIME_SECONDS_MAX } from './expiry.ts';

/** The `silence-policy` section of a configuration. A misspelt rule would be one that nobody keeps, so it is refused. */
export const silencePolicySettingsSchema = z.strictObject({
  reason: z.enum(['required', 'optional']).default('required'),
  /** With `*` or `?` a pattern for the whole reason, else words that must all stand in it. */
  'reason-pattern': z.string().min(1).max(200).optional(),
  /** Seconds that a silence may last at most. */
  'max-expire': z.int().min(1).max(LIFETIME_SECONDS_MAX).optional(),
  /** Matching events from which on a console asks again. */
  'warn-matches': z.int().min(1).default(50),
  /** Whether `POST /silenced` is held to it too; scripts that know nothing of it may then fail. */
  'apply-to-legacy': z.boolean().default(false),
});

export type SilencePolicySettings = z.infer<typeof silencePolicySettingsSchema>;

/** `GET /api/mon/v1/silence-policy`: what a silence must keep to. */
export interface SilencePolicy {
  readonly reason: 'required' | 'optional';
  /** With `*` or `?` a pattern for the whole reason, else words that must all stand in it; null: any reason will do. */
  readonly reason_pattern: string | null;
  /** Seconds; null: it may last for ever. */
  readonly max_expire: number | null;
  /** Matching events from which on a console asks again. */
  readonly warn_matches: number;
  readonly apply_to_legacy: boolean;
}

/** As callers rely on it, see `answer.ts`. */
export const silencePolicyAnswer: z.ZodType<SilencePolicy> = z.looseObject({
  reason: z.enum(['required', 'optional']),
  reason_pattern: z.string().nullable(),
  max_expire: z.number().nullable(),
  warn_matches: z.number(),
  apply_to_legacy: z.boolean(),
});
