import { z } from 'zod';
import { NAME_LENGTH_MAX, v2NameSchema } from '../name.ts';
import { eventEntitySchema, type V2Entity } from './entity.ts';
import { metadataSchema, type V2Metadata } from './metadata.ts';
import { v2SubscriptionSchema } from './subscription.ts';

const LIST_MAX = 1000;

/** Maximum number of data points in one event; its size is limited too. */
const POINTS_MAX = 10_000;

/** Maximum status: that of the peer and its agents, which includes the exit codes of Windows. */
const STATUS_MAX = 2 ** 32 - 1;

const namesSchema = z.array(z.string().min(1)).max(LIST_MAX).nullish();
const secondsSchema = z.int().min(0).nullish();
const partialMetadataSchema = metadataSchema().partial({ name: true });

/** The check of an event: its definition as far as known, and the result of a run. Unknown attributes are kept. */
const eventCheckSchema = z.looseObject({
  metadata: partialMetadataSchema.nullish(),
  status: z.int().min(0).max(STATUS_MAX).nullish(),
  output: z.string().nullish(),
  /** Epoch seconds, 0: unknown. */
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

/**
 * Agents have sent timestamps in nanoseconds, which exceed 2^53. They are measurements, so rounding is acceptable
 * (security S8).
 */
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
 * A submitted event of the v2 API, from people, programs and agents (clients 6 and 7). The names of its entity and
 * check may be in the path instead.
 */
export const v2EventSchema = z.looseObject({
  metadata: partialMetadataSchema.nullish(),
  /** Epoch seconds. */
  timestamp: secondsSchema,
  entity: eventEntitySchema.nullish(),
  check: eventCheckSchema.nullish(),
  metrics: metricsSchema.nullish(),
  pipelines: z.array(z.looseObject({})).max(LIST_MAX).nullish(),
  /** Number of events that the agent has sent of this check since it started. */
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
  /** Seconds; absent: unknown. */
  readonly duration?: number;
  /** Null if there was only one result. */
  readonly history: readonly { readonly status: number; readonly executed: number }[] | null;
  readonly occurrences: number;
  readonly occurrences_watermark: number;
  /** Epoch seconds, 0: never. */
  readonly last_ok: number;
  /** Percent. */
  readonly total_state_change: number;
  readonly is_silenced: boolean;
  /** Names of the silences; absent if there are none. */
  readonly silenced?: readonly string[];
  readonly [attribute: string]: unknown;
}

/** An event with its namespace and the names of its entity and check. */
export type PlacedV2Event = SubmittedV2Event & {
  readonly metadata: { readonly namespace: string };
  readonly entity: { readonly metadata: { readonly name: string } };
  readonly check: { readonly metadata: { readonly name: string } };
};

/** An event in the format of the v2 API: the last result of a check, also if it is OK. */
export interface V2Event {
  readonly id: string;
  /** Its own labels and annotations; the namespace only with them, otherwise it is in the entity and the check. */
  readonly metadata: Partial<Omit<V2Metadata, 'name'>>;
  readonly timestamp: number;
  readonly sequence: number;
  readonly entity: V2Entity;
  readonly check: V2EventCheck;
  readonly metrics?: unknown;
  readonly pipelines?: unknown;
}
