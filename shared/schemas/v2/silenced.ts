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
  metadata: metadataSchema(v2SilencedNameSchema)
    .partial({ name: true })
    .nullish()
    .meta({
      description:
        'Namespace and labels of the silence. The name is computed from `subscription` and `check`; a' +
        ' submitted name is used only if both are missing.',
    }),
  subscription: partSchema(subscriptionSchema).meta({
    description:
      'Subscription whose events are silenced; `entity:NAME` for one entity. Required unless `check` is set.',
    'x-value': 'text',
    'x-v1': 'the same, with `client:NAME`',
  }),
  check: partSchema(objectNameSchema).meta({
    description: 'Check whose events are silenced. Required unless `subscription` is set.',
    'x-value': 'text',
    'x-v1': 'the same',
  }),
  expire: z.int().max(LIFETIME_SECONDS_MAX).nullish().meta({
    description:
      'Duration from the start of the silence. Less than 1 means unlimited. Responses show the requested value.',
    'x-unit': 'seconds',
    default: -1,
    'x-v1': 'the same, but responses show the remaining time',
  }),
  expire_at: z.int().min(0).nullish().meta({
    description: 'End of the silence, in place of `expire`. 0 means none.',
    'x-unit': 'epoch seconds',
    default: 0,
    'x-v1': 'none',
  }),
  expire_on_resolve: z.boolean().nullish().meta({
    description: 'Whether the silence ends when a matching event resolves.',
    default: false,
    'x-v1': 'the same',
  }),
  begin: z.int().min(0).nullish().meta({
    description: 'Start of the silence. 0 means now.',
    'x-unit': 'epoch seconds',
    default: 0,
    'x-v1': 'the same',
  }),
  reason: z.string().max(10_000).nullish().meta({ description: 'Reason of the silence.', 'x-v1': 'the same' }),
  creator: z.string().max(255).nullish().meta({
    description: 'Creator. The authenticated user replaces it, unless the backend requires no authentication.',
    'x-v1': 'the same',
  }),
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
