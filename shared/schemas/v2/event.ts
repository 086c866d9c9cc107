import { z } from 'zod';
import { NAME_LENGTH_MAX, v2NameSchema } from '../name.ts';
import { eventEntitySchema, type V2Entity } from './entity.ts';
import { metadataSchema, type V2Metadata } from './metadata.ts';
import { v2SubscriptionSchema } from './subscription.ts';

const LIST_MAX = 1000;

/** Data points that one event may bring along; its size is limited besides. */
const POINTS_MAX = 10_000;

/** As many as the peer and its agents can tell apart, Windows' codes among them. */
const STATUS_MAX = 2 ** 32 - 1;

const namesSchema = z.array(z.string().min(1)).max(LIST_MAX).nullish();
const secondsSchema = z.int().min(0).nullish();
const partialMetadataSchema = metadataSchema().partial({ name: true });

/** The check of an event: its definition, as far as it is known, and what came of a run. Unknown attributes are kept. */
const eventCheckSchema = z.looseObject({
  metadata: partialMetadataSchema.nullish(),
  status: z.int().min(0).max(STATUS_MAX).nullish(),
  output: z.string().nullish(),
  /** Epoch seconds, 0: not known. */
  executed: secondsSchema,
  issued: secondsSchema,
  duration: z.number().nullish(),
  handlers: namesSchema,
  subscriptions: z.array(v2SubscriptionSchema).max(LIST_MAX).nullish(),
  interval: secondsSchema,
  timeout: secondsSchema,
  ttl: z.int().nullish(),
  low_flap_threshold: secondsSchema,
  high_flap_threshold: secondsSchema,
  proxy_entity_name: z.union([z.literal(''), v2NameSchema]).nullish(),
  pipelines: z.array(z.looseObject({})).max(LIST_MAX).nullish(),
});

/** Points have been sent in nanoseconds, which are beyond 2^53: they are measured, not counted with (security S8). */
const isInt64 = (value: number): boolean => Number.isInteger(value) && Math.abs(value) <= 2 ** 63;

const metricsSchema = z.looseObject({
  handlers: namesSchema,
  points: z
    .array(
      z.looseObject({
        name: z.string().max(1024),
        value: z.number(),
        timestamp: z.number().refine(isInt64, 'expected int64').nullish(),
        tags: z
          .array(z.looseObject({ name: z.string().max(NAME_LENGTH_MAX), value: z.string() }))
          .max(LIST_MAX)
          .nullish(),
      }),
    )
    .max(POINTS_MAX)
    .nullish(),
});

/**
 * An event of version 2 as it is sent, by people, programs and agents (clients 6 and 7). The names of its
 * entity and check may stand in the path instead.
 */
export const v2EventSchema = z.looseObject({
  metadata: partialMetadataSchema.nullish(),
  /** Epoch seconds. */
  timestamp: secondsSchema,
  entity: eventEntitySchema.nullish(),
  check: eventCheckSchema.nullish(),
  metrics: metricsSchema.nullish(),
  pipelines: z.array(z.looseObject({})).max(LIST_MAX).nullish(),
  /** How many events the agent has sent of this check since it started. */
  sequence: z.int().nullish(),
});

export type SubmittedV2Event = z.infer<typeof v2EventSchema>;

export type V2EventState = 'passing' | 'failing' | 'flapping';

/** The check of an event as it is shown. */
export interface V2EventCheck {
  readonly metadata: V2Metadata;
  readonly status: number;
  readonly output: string;
  readonly state: V2EventState;
  readonly executed: number;
  readonly issued: number;
  /** Seconds; absent: not known. */
  readonly duration?: number;
  /** Null: there was one result only. */
  readonly history: readonly { readonly status: number; readonly executed: number }[] | null;
  readonly occurrences: number;
  readonly occurrences_watermark: number;
  /** Epoch seconds, 0: never. */
  readonly last_ok: number;
  /** Percent. */
  readonly total_state_change: number;
  readonly is_silenced: boolean;
  /** Names of the entries; absent: there are none. */
  readonly silenced?: readonly string[];
  readonly [attribute: string]: unknown;
}

/** An event whose entity and check have their names, in its namespace. */
export type PlacedV2Event = SubmittedV2Event & {
  readonly metadata: { readonly namespace: string };
  readonly entity: { readonly metadata: { readonly name: string } };
  readonly check: { readonly metadata: { readonly name: string } };
};

/** An event as version 2 shows it: the last result of a check, also one that is well. */
export interface V2Event {
  readonly id: string;
  /** The namespace with labels and annotations of its own only: it is that of the entity and the check. */
  readonly metadata: Partial<Omit<V2Metadata, 'name'>>;
  readonly timestamp: number;
  readonly sequence: number;
  readonly entity: V2Entity;
  readonly check: V2EventCheck;
  readonly metrics?: unknown;
  readonly pipelines?: unknown;
}
