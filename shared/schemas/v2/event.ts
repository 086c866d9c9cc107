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
  metadata: partialMetadataSchema.nullish().meta({
    description: 'Name of the check, and its labels. The path can contain the name instead.',
    'x-v1': '`name`',
  }),
  status: z.int().min(0).max(STATUS_MAX).nullish().meta({
    description: 'Status of the result: 0 OK, 1 warning, 2 critical, any other unknown.',
    default: 0,
    'x-v1': 'the same',
  }),
  output: z.string().nullish().meta({ description: 'Output of the run.', 'x-v1': 'the same' }),
  executed: secondsSchema.meta({
    description: 'Time of the run. 0 means the time of the event, or else of the request.',
    'x-unit': 'epoch seconds',
    default: 0,
    'x-v1': 'the same',
  }),
  issued: secondsSchema.meta({
    description: 'Time at which the run was requested.',
    'x-unit': 'epoch seconds',
    default: 0,
    'x-v1': 'the same',
  }),
  duration: z.number().nullish().meta({ description: 'Duration of the run.', 'x-unit': 'seconds', 'x-v1': 'the same' }),
  handlers: namesSchema.meta({
    description: 'Handlers to notify. Default: those of the definition.',
    'x-v1': 'the same',
  }),
  subscriptions: z
    .array(v2SubscriptionSchema)
    .max(LIST_MAX)
    .nullish()
    .meta({ description: 'Subscriptions of the check. Default: those of the definition.', 'x-v1': '`subscribers`' }),
  interval: secondsSchema.meta({
    description: 'Time between two runs. 0 means that of the definition.',
    'x-unit': 'seconds',
    default: 0,
    'x-v1': 'the same',
  }),
  timeout: secondsSchema.meta({
    description: 'Timeout of the run. 0 means that of the definition.',
    'x-unit': 'seconds',
    default: 0,
    'x-v1': 'the same',
  }),
  ttl: z
    .int()
    .nullish()
    .meta({
      description:
        'Time after which an event opens if no further result arrives. It must exceed `interval`. 0 means' +
        ' that of the definition.',
      'x-unit': 'seconds',
      default: 0,
      'x-v1': 'the same',
    }),
  low_flap_threshold: secondsSchema.meta({
    description: 'State change below which flapping ends. 0 means that of the definition.',
    'x-unit': 'percent',
    default: 0,
    'x-v1': 'the same',
  }),
  high_flap_threshold: secondsSchema.meta({
    description: 'State change from which on the check counts as flapping. 0 means that of the definition.',
    'x-unit': 'percent',
    default: 0,
    'x-v1': 'the same',
  }),
  proxy_entity_name: z
    .union([z.literal(''), v2NameSchema])
    .nullish()
    .meta({
      description: 'Entity to which the event belongs, in place of `entity`.',
      'x-value': 'text',
      'x-v1': '`source`',
    }),
  pipelines: z.array(z.looseObject({})).max(LIST_MAX).nullish().meta({
    description: 'Pipelines that process the event. An empty list means those of the definition.',
    'x-v1': 'the same',
  }),
});

/**
 * True for a 64-bit integer. Agents send timestamps of metrics in nanoseconds, which exceed 2^53. They are rounded,
 * which is acceptable for measurements (security S8).
 */
const isInt64 = (value: number): boolean => Number.isInteger(value) && Math.abs(value) <= 2 ** 63;

const metricsSchema = z.looseObject({
  handlers: namesSchema.meta({
    description: 'Handlers that receive the metrics, whatever the status is.',
    'x-v1': '`handlers`, with `type: metric`',
  }),
  points: z
    .array(
      z.looseObject({
        name: z.string().max(1024).describe('Name of the metric.'),
        value: z.number().describe('Value of the metric.'),
        timestamp: z
          .number()
          .refine(isInt64, 'expected int64')
          .nullish()
          .describe('Time of the measurement, in the unit that the agent uses: seconds to nanoseconds.'),
        tags: z
          .array(
            z.looseObject({
              name: z.string().max(NAME_LENGTH_MAX).describe('Name of the tag.'),
              value: z.string().describe('Value of the tag.'),
            }),
          )
          .max(LIST_MAX)
          .nullish()
          .describe('Tags of the point.'),
      }),
    )
    .max(POINTS_MAX)
    .nullish()
    .describe('Measured values.'),
});

/**
 * A submitted event of the v2 API, from people, programs and agents (clients 6 and 7). The names of its entity and its
 * check may be missing, because the path can contain them.
 */
export const v2EventSchema = z.looseObject({
  metadata: partialMetadataSchema
    .nullish()
    .meta({ description: 'Namespace, labels and annotations of the event.', 'x-v1': 'none' }),
  timestamp: secondsSchema.meta({
    description: 'Time of the event.',
    'x-unit': 'epoch seconds',
    'x-v1': '`check.executed`',
  }),
  entity: eventEntitySchema.nullish().meta({
    description: 'Entity of the event. The path can contain its name instead. If it does not exist, it is created.',
    'x-v1': '`client`',
  }),
  check: eventCheckSchema
    .nullish()
    .meta({ description: 'Check and result of the event. The path can contain its name instead.', 'x-v1': '`check`' }),
  metrics: metricsSchema
    .nullish()
    .meta({ description: 'Metrics of the event. They require a check.', 'x-v1': '`check.metrics`' }),
  pipelines: z.array(z.looseObject({})).max(LIST_MAX).nullish().meta({
    description: 'Pipelines that process the event. They override those of the check.',
    'x-v1': '`check.pipelines`',
  }),
  sequence: z
    .int()
    .nullish()
    .meta({ description: 'Number of events of this check that the agent has sent since it started.', 'x-v1': 'none' }),
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
