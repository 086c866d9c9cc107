import { z } from 'zod';
import { LIFETIME_SECONDS_MAX } from '../lifetime.ts';
import { objectNameSchema, subscriptionSchema } from '../name.ts';
import { metadataSchema } from './metadata.ts';

/** The path of an entry ends so: `SUBSCRIPTION:CHECK` with `*` for a missing part, or a check alone (clients 7). */
const v2SilencedNameSchema = z
  .string()
  .min(1)
  .max(512)
  .regex(/^[\w.*:-]+$/, 'must look like SUBSCRIPTION:CHECK, with * for a missing part');

/** A part of an entry: the empty string and `*` name nothing, as `null` does. */
const partSchema = (name: z.ZodType<string>) => z.union([z.literal(['', '*']), name]).nullish();

/** A silenced entry of version 2 as it is sent (clients 6). */
export const v2SilencedSchema = z.looseObject({
  /** The name is computed from the parts; one that is sent counts where they are missing. */
  metadata: metadataSchema(v2SilencedNameSchema).partial({ name: true }).nullish(),
  subscription: partSchema(subscriptionSchema),
  check: partSchema(objectNameSchema),
  /** Seconds from its begin; less than 1: for ever. */
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

/** An entry with the name that its parts make, in its namespace. */
export type PlacedV2Silenced = SubmittedV2Silenced & {
  readonly metadata: { readonly name: string; readonly namespace: string };
};

/** A silenced entry as version 2 shows it. */
export type V2Silenced = {
  readonly metadata: {
    /** `SUBSCRIPTION:CHECK` */
    readonly name: string;
    readonly namespace: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly created_by?: string;
  };
  /** Seconds as they were asked for, not what is left of them; -1: for ever. */
  readonly expire: number;
  /** Epoch seconds; 0: never. */
  readonly expire_at: number;
  readonly expire_on_resolve: boolean;
  readonly creator: string;
  /** Absent: every check of the subscription. */
  readonly check?: string;
  readonly reason?: string;
  /** Absent: the check wherever it runs. */
  readonly subscription?: string;
  /** Epoch seconds. */
  readonly begin: number;
};
