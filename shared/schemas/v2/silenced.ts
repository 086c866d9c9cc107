import { z } from 'zod';
import { LIFETIME_SECONDS_MAX } from '../lifetime.ts';
import { objectNameSchema, subscriptionSchema } from '../name.ts';
import { metadataSchema } from './metadata.ts';

/**
 * The last part of the path of a silence: `SUBSCRIPTION:CHECK` with `*` for a missing part, or a check alone (clients
 * 7).
 */
const v2SilencedNameSchema = z
  .string()
  .min(1)
  .max(512)
  .regex(/^[\w.*:-]+$/, 'must look like SUBSCRIPTION:CHECK, with * for a missing part');

/** A part of a silence: the empty string and `*` mean none, like `null`. */
const partSchema = (name: z.ZodType<string>) => z.union([z.literal(['', '*']), name]).nullish();

/** A submitted silence of the v2 API (clients 6). */
export const v2SilencedSchema = z.looseObject({
  /** The name is computed from the parts; a submitted name is used only if they are missing. */
  metadata: metadataSchema(v2SilencedNameSchema).partial({ name: true }).nullish(),
  subscription: partSchema(subscriptionSchema),
  check: partSchema(objectNameSchema),
  /** Seconds from its begin; less than 1: unlimited. */
  expire: z.int().max(LIFETIME_SECONDS_MAX).nullish(),
  /** Epoch seconds of its end, 0: none. */
  expire_at: z.int().min(0).nullish(),
  expire_on_resolve: z.boolean().nullish(),
  /** Epoch seconds, 0: now. */
  begin: z.int().min(0).nullish(),
  reason: z.string().max(10_000).nullish(),
  creator: z.string().max(255).nullish(),
});

export type SubmittedV2Silenced = z.infer<typeof v2SilencedSchema>;

/** A silence with its namespace and the name that follows from its parts. */
export type PlacedV2Silenced = SubmittedV2Silenced & {
  readonly metadata: { readonly name: string; readonly namespace: string };
};

/** A silence in the format of the v2 API. */
export type V2Silenced = {
  readonly metadata: {
    /** `SUBSCRIPTION:CHECK` */
    readonly name: string;
    readonly namespace: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly created_by?: string;
  };
  /** Requested seconds, not the remaining ones; -1: unlimited. */
  readonly expire: number;
  /** Epoch seconds; 0: never. */
  readonly expire_at: number;
  readonly expire_on_resolve: boolean;
  readonly creator: string;
  /** Absent: every check of the subscription. */
  readonly check?: string;
  readonly reason?: string;
  /** Absent: the check on all clients. */
  readonly subscription?: string;
  /** Epoch seconds. */
  readonly begin: number;
};
