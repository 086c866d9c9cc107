import { z } from 'zod';
import { LIFETIME_SECONDS_MAX } from '../lifetime.ts';
import { objectNameSchema, subscriptionSchema } from '../name.ts';
import { metadataSchema } from './metadata.ts';

/**
 * The name of a silence, which is the last part of its path: `SUBSCRIPTION:CHECK` with `*` for a missing subscription
 * or check, or a check alone (clients 7).
 */
const v2SilencedNameSchema = z
  .string()
  .min(1)
  .max(512)
  .regex(/^[\w.*:-]+$/, 'must look like SUBSCRIPTION:CHECK, with * for a missing part');

/**
 * Returns the schema of the subscription or check of a silence. The empty string, `*` and null mean that it is missing.
 */
const partSchema = (name: z.ZodType<string>) => z.union([z.literal(['', '*']), name]).nullish();

/** A submitted silence of the v2 API (clients 6). */
export const v2SilencedSchema = z.looseObject({
  /**
   * Metadata of the silence. The name is computed from subscription and check; a submitted name is used only if both
   * are missing.
   */
  metadata: metadataSchema(v2SilencedNameSchema).partial({ name: true }).nullish(),
  subscription: partSchema(subscriptionSchema),
  check: partSchema(objectNameSchema),
  /** Duration in seconds from the start of the silence; less than 1: unlimited. */
  expire: z.int().max(LIFETIME_SECONDS_MAX).nullish(),
  /** End of the silence in epoch seconds; 0: none. */
  expire_at: z.int().min(0).nullish(),
  expire_on_resolve: z.boolean().nullish(),
  /** Start of the silence in epoch seconds; 0: now. */
  begin: z.int().min(0).nullish(),
  reason: z.string().max(10_000).nullish(),
  creator: z.string().max(255).nullish(),
});

export type SubmittedV2Silenced = z.infer<typeof v2SilencedSchema>;

/** A submitted silence with its namespace, and with the name that follows from its subscription and check. */
export type PlacedV2Silenced = SubmittedV2Silenced & {
  readonly metadata: { readonly name: string; readonly namespace: string };
};

/** A silence in the format of the v2 API. */
export type V2Silenced = {
  readonly metadata: {
    /** Name of the silence: `SUBSCRIPTION:CHECK`, with `*` for a missing subscription or check. */
    readonly name: string;
    readonly namespace: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly created_by?: string;
  };
  /** Requested duration in seconds, not the remaining one; -1: unlimited. */
  readonly expire: number;
  /** End of the silence in epoch seconds; 0: never. */
  readonly expire_at: number;
  readonly expire_on_resolve: boolean;
  readonly creator: string;
  /** Name of the check; absent: every check of the subscription. */
  readonly check?: string;
  readonly reason?: string;
  /** Name of the subscription; absent: the check on all clients. */
  readonly subscription?: string;
  /** Start of the silence in epoch seconds. */
  readonly begin: number;
};
