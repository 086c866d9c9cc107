import { z } from 'zod';
import { NAME_LENGTH_MAX, v2NameSchema } from '../name.ts';
import { eventEntitySchema, type V2Entity } from './entity.ts';
import { metadataSchema, type V2Metadata } from './metadata.ts';
import { v2SubscriptionSchema } from './subscription.ts';

const LIST_MAX = 1000;

/** Maximum number of metric points in one event. The size of an event is limited too. */
const POINTS_MAX = 10_000;

/** Maximum status. Sensu Go and its agents have the same maximum, which includes the exit codes of Windows. */
const STATUS_MAX = 2 ** 32 - 1;

const namesSchema = z.array(z.string().min(1)).max(LIST_MAX).nullish();
const secondsSchema = z.int().min(0).nullish();
const partialMetadataSchema = metadataSchema().partial({ name: true });

/**
 * The check of a submitted event: its definition, as far as the sender knows it, and the result of a run. Unknown
 * attributes are kept.
 */
const eventCheckSchema = z.looseObject({
  metadata: partialMetadataSchema.nullish(),
  status: z.int().min(0).max(STATUS_MAX).nullish(),
  output: z.string().nullish(),
  /** Time of the run in epoch seconds; 0: unknown. */
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
 * True for a 64-bit integer. Agents send timestamps of metrics in nanoseconds, which exceed 2^53. They are rounded,
 * which is acceptable for measurements (security S8).
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
 * A submitted event of the v2 API, from people, programs and agents (clients 6 and 7). The names of its entity and its
 * check may be missing, because the path can contain them.
 */
export const v2EventSchema = z.looseObject({
  metadata: partialMetadataSchema.nullish(),
  /** Time of the event in epoch seconds. */
  timestamp: secondsSchema,
  entity: eventEntitySchema.nullish(),
  check: eventCheckSchema.nullish(),
  metrics: metricsSchema.nullish(),
  pipelines: z.array(z.looseObject({})).max(LIST_MAX).nullish(),
  /** Number of events of this check that the agent has sent since it started. */
  sequence: z.int().nullish(),
});

export type SubmittedV2Event = z.infer<typeof v2EventSchema>;

export type V2EventState = 'passing' | 'failing' | 'flapping';

/** The check of an event in the format of the v2 API. */
export interface V2EventCheck {
  readonly metadata: V2Metadata;
  readonly status: number;
  readonly output: string;
  readonly state: V2EventState;
  readonly executed: number;
  readonly issued: number;
  /** Run time in seconds; absent: unknown. */
  readonly duration?: number;
  /** The most recent results, oldest first, without the very first one; null if there is no other. */
  readonly history: readonly { readonly status: number; readonly executed: number }[] | null;
  readonly occurrences: number;
  readonly occurrences_watermark: number;
  /** Time of the last OK result in epoch seconds; 0: never. */
  readonly last_ok: number;
  /** Percentage by which the status changed over the history. */
  readonly total_state_change: number;
  readonly is_silenced: boolean;
  /** Names of the silences that match the event; absent if there are none. */
  readonly silenced?: readonly string[];
  readonly [attribute: string]: unknown;
}

/** A submitted event whose namespace, entity name and check name are known. */
export type PlacedV2Event = SubmittedV2Event & {
  readonly metadata: { readonly namespace: string };
  readonly entity: { readonly metadata: { readonly name: string } };
  readonly check: { readonly metadata: { readonly name: string } };
};

/** An event in the format of the v2 API. Each check on an entity has one, also if its last result is OK. */
export interface V2Event {
  readonly id: string;
  /**
   * Labels, annotations and creator of the event itself. The namespace is present only with labels or annotations; the
   * entity and the check always have it.
   */
  readonly metadata: Partial<Omit<V2Metadata, 'name'>>;
  readonly timestamp: number;
  readonly sequence: number;
  readonly entity: V2Entity;
  readonly check: V2EventCheck;
  readonly metrics?: unknown;
  readonly pipelines?: unknown;
}
