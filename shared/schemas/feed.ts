import { z } from 'zod';
import { textsSchema } from './response.ts';
import type { AttributeSetRow, EventAttributes } from './attribute-set.ts';
import { entityUsageSchema } from './entity-usage.ts';
import { eventActionSchema } from './event.ts';
import { groupResponse, type GroupRow } from './grouping.ts';
import { inhibitionResponse, inhibitorSchema, type InhibitionRow } from './inhibition.ts';
import { shownAcknowledgementSchema } from './acknowledgement.ts';
import { shownEscalationsSchema } from './escalation.ts';
import { recoverySchema } from './recovery.ts';
import { recurrenceResponse } from './recurrence.ts';
import { reminderSentSchema, silenceIdleSchema } from './silenced.ts';
import { planStateSchema, planStepStateSchema } from './plan-run.ts';
import { ruleVerdictSchema } from './plan.ts';

/**
 * The live feed: WebSocket at `/api/mon/v1/feed`, JSON text frames.
 *
 * A consumer sends one `subscribe`. Without `since` it receives the whole state of its topics in `snapshot` frames,
 * then `live`. With `since` (and the `store` that the number is from) it receives only the changes after that sequence
 * number, then `live`. After `live`, each frame of `changes` has the newest state of each changed key: a row that
 * replaces the previous one, or `null` if the row was removed. A consumer applies rows by key and stores the last
 * `seq`; whenever `seq` has advanced, its rows equal the state of the backend at that number. Rows that do not fit into
 * one frame are split into several frames, and only the last of them advances `seq`. If the backend cannot resume, it
 * sends `reset` and starts over with a snapshot.
 *
 * A consumer receives the namespace that it names, or `default`. With `*` it receives all namespaces that its
 * credentials may read. Then each row of an event, a silence, a client or a group has a `namespace`, and its key begins
 * with that and a slash. Credentials that are limited to one namespace receive only that one: another name is rejected
 * as `forbidden`, and an unknown one as `not_found`. `since` is valid only for the same namespaces; with others, a
 * snapshot is sent.
 *
 * A consumer that displays nothing for a while, such as a console without focus, can request fewer frames of changes by
 * `pace`. Each frame then has the newest state of more keys. It may change the pace at any time; each connection starts
 * without a pace. It must check for `pace` in `hello` first, because an older backend would close the connection.
 *
 * If `hello` has `brief`, the pace may name the events to send in full. Changes of other events are then sent in brief,
 * with the attributes that counters need. `seq` stays at the last number at which all rows were sent in full. When the
 * consumer requests all events in full, or adds an event that was sent in brief, the backend sends the newest rows of
 * these events in full.
 *
 * If `hello` has `attributes`, a consumer can subscribe to the topic `attributes` together with events. Rows of events
 * then have the ids of the sets of attributes of their client and their check.
 *
 * If `hello` has `columns`, a consumer can request the events of a snapshot in columns, so it must wait for the hello
 * before its `subscribe`. Changes are always sent as rows.
 *
 * With `transports` a consumer subscribes to the messages that handlers of the type `transport` publish under these
 * names, with or without topics. Each message is sent once, in a `message` frame, while the consumer is connected.
 * Messages are not stored or repeated, and `since` does not apply to them. A consumer that reads too slowly loses
 * messages, so that the backend's memory does not grow, and receives their number in a `missed` frame.
 */
export const FEED_PROTOCOL = 'mon.feed.v1';
export const FEED_PATH = '/api/mon/v1/feed';

/** Seconds without a frame after which each side sends a ping. After two unanswered pings it disconnects. */
export const FEED_HEARTBEAT_SECONDS = 5;

const namespaceSchema = z
  .string()
  .exactOptional()
  .describe('Namespace of the row. Present only if all namespaces are requested.');

/** An event as a table row. `GET /events/:client/:check` returns the whole event. */
export const eventRowSchema = z.object({
  namespace: namespaceSchema,
  client: z.string().describe('Name of the client.'),
  check: z.string().describe('Name of the check.'),
  status: z.number().describe('Status of the event: 0 is OK, 1 is warning, 2 is critical, others are unknown.'),
  action: eventActionSchema.describe('`create` while the problem persists, or `flapping`. A row never has `resolve`.'),
  occurrences: z.number().describe('Number of results in a row with the current status.'),
  since: z.number().meta({ description: 'Time since which the event has its status.', 'x-unit': 'epoch seconds' }),
  last: z.number().meta({ description: 'Time at which the last result arrived.', 'x-unit': 'epoch seconds' }),
  silenced_by: textsSchema.meta({
    'x-value': 'list of text',
    description: 'IDs of the silences that match the event now.',
  }),
  output: z
    .string()
    .describe(
      'First line of the output without performance data, at most 200 characters. It may contain control characters,' +
        ' which a terminal must not receive.',
    ),
  inhibited_by: inhibitorSchema
    .exactOptional()
    .describe('Present only while the event is inhibited: the rule and the inhibiting event.'),
  groups: textsSchema
    .exactOptional()
    .describe('IDs of the handler groups that contain the event. Present only if there are any.'),
  recovering: recoverySchema
    .exactOptional()
    .describe('Present only while the check is OK but the event waits for more OK results (`resolve_after`).'),
  acknowledged: shownAcknowledgementSchema
    .exactOptional()
    .describe('Present only while an operator works on the problem.'),
  escalations: shownEscalationsSchema
    .exactOptional()
    .describe('The escalations that handlers have started for the event. Present only if there are any.'),
});

/** An event in the feed. */
export const feedEventRowSchema = eventRowSchema.extend({
  client_set: z
    .string()
    .exactOptional()
    .describe('Feed only: ID of the attributes of the client, if the consumer subscribed to the topic `attributes`.'),
  check_set: z
    .string()
    .exactOptional()
    .describe('Feed only: ID of the attributes of the check, if the consumer subscribed to the topic `attributes`.'),
});
export type EventRow = Readonly<z.infer<typeof feedEventRowSchema>> &
  EventAttributes & {
    /** The backend of the event, in a list that merges several backends. A feed never sends it. */
    readonly backend?: string;
  };

/** Row attributes that few events have, which a snapshot in columns therefore stores by row. */
const sparseEventAttributesSchema = eventRowSchema.pick({
  inhibited_by: true,
  groups: true,
  recovering: true,
  acknowledged: true,
  escalations: true,
});
export type SparseEventAttributes = Pick<
  EventRow,
  'inhibited_by' | 'groups' | 'recovering' | 'acknowledged' | 'escalations'
>;

/** A column of a table: each distinct value once, and for each row the index of its value in `values`, from 0. */
export interface ValueColumn<Value> {
  readonly values: readonly Value[];
  readonly indices: readonly number[];
}
export const numbersSchema = z.array(z.number());
const valueColumn = <Value>(value: z.ZodType<Value>): z.ZodType<ValueColumn<Value>> =>
  z.object({ values: z.array(value), indices: numbersSchema });

/** Events in columns: element n of each column belongs to event n. `domain/event-columns.ts` converts them to rows. */
const eventColumnsSchema = z.object({
  namespace: valueColumn(z.string()).exactOptional(),
  client: valueColumn(z.string()),
  check: valueColumn(z.string()),
  status: numbersSchema,
  action: valueColumn(eventActionSchema),
  occurrences: numbersSchema,
  since: numbersSchema,
  last: numbersSchema,
  silenced_by: valueColumn(textsSchema),
  output: valueColumn(z.string()),
  /** An empty id stands for no attributes. */
  client_set: valueColumn(z.string()).exactOptional(),
  check_set: valueColumn(z.string()).exactOptional(),
  /** Attributes that few events have, by the index of the event. */
  sparse: z.record(z.string(), sparseEventAttributesSchema).exactOptional(),
});
export interface EventColumns {
  readonly namespace?: ValueColumn<string>;
  readonly client: ValueColumn<string>;
  readonly check: ValueColumn<string>;
  readonly status: readonly number[];
  readonly action: ValueColumn<EventRow['action']>;
  readonly occurrences: readonly number[];
  readonly since: readonly number[];
  readonly last: readonly number[];
  readonly silenced_by: ValueColumn<readonly string[]>;
  readonly output: ValueColumn<string>;
  readonly client_set?: ValueColumn<string>;
  readonly check_set?: ValueColumn<string>;
  readonly sparse?: Readonly<Record<string, SparseEventAttributes>>;
}

/** An event in brief: the attributes that counters and the order of a list need. */
export const eventBriefSchema = eventRowSchema.pick({
  status: true,
  action: true,
  since: true,
  silenced_by: true,
  inhibited_by: true,
  acknowledged: true,
  escalations: true,
});
export type EventBrief = Pick<
  EventRow,
  'status' | 'action' | 'since' | 'silenced_by' | 'inhibited_by' | 'acknowledged' | 'escalations'
>;

/** A client as a table row. */
export const clientRowSchema = z.object({
  namespace: namespaceSchema,
  name: z.string(),
  address: z.string(),
  subscriptions: textsSchema,
  /** Time of the last keepalive, in epoch seconds; without keepalives, the time at which the client was created. */
  timestamp: z.number(),
  /** False if the client has no agent that sends keepalives, such as a proxy client; otherwise absent. */
  keepalives: z.boolean().nullish(),
  version: z.string(),
});
export type ClientRow = Readonly<z.infer<typeof clientRowSchema>>;

/** A silence as a table row. It has its absolute end instead of the remaining seconds. */
export const silencedRowSchema = z.object({
  namespace: namespaceSchema,
  id: z.string(),
  subscription: z.string().nullable(),
  check: z.string().nullable(),
  /** The selector that defines the target; absent if `subscription` and `check` define it. */
  selector: z.string().exactOptional(),
  reason: z.string().nullable(),
  creator: z.string().nullable(),
  /** Start of the silence, in epoch seconds; null: its creation. */
  begin: z.number().nullable(),
  expire_on_resolve: z.boolean(),
  /** Time of creation, in epoch seconds. */
  timestamp: z.number(),
  /** Time of expiry in epoch seconds, with fractions; null: never. */
  expire_at: z.number().nullable(),
  /** The reminder that was sent about the end of the silence, once per end; absent: none yet (spec, reminder). */
  reminder_sent: reminderSentSchema.exactOptional(),
  /** Present if the silence is idle: it has matched no event for a long time (spec, idleness). */
  idle: silenceIdleSchema.exactOptional(),
  /**
   * The recurrence; absent if the silence does not recur. `begin` and `expire_at` are those of the current or next
   * window.
   */
  recurrence: recurrenceResponse.exactOptional(),
});
export type SilencedRow = Readonly<z.infer<typeof silencedRowSchema>>;

/**
 * The progress of an upgrade plan. `GET /api/mon/v1/upgrades/:id` returns the whole plan; it has changed if `revision`
 * has.
 */
const upgradeRowSchema = z.object({
  id: z.number(),
  revision: z.number(),
  from: z.string(),
  to: z.string(),
  state: planStateSchema,
  verdict: ruleVerdictSchema,
  /** The user who owns the plan and may execute it; null: nobody. */
  holder: z.string().nullable(),
  /** The current step: `number` counts from 1 to `total`. Null if all steps are done. */
  step: z.object({ number: z.number(), total: z.number(), title: z.string(), state: planStepStateSchema }).nullable(),
});
export type UpgradeRow = Readonly<z.infer<typeof upgradeRowSchema>>;

// It is not in `attribute-set.ts`, because the console loads that file before its first frame, and zod only later.
export const attributeSetRowSchema = z.object({
  namespace: z.string().exactOptional(),
  id: z.string(),
  attributes: z.record(z.string(), z.union([z.string(), textsSchema])),
});

/**
 * Rows by key. A key is `client/check`, the id of a silence, the name of a client, the id of a plan, the id of a group,
 * or the name of an inhibition rule. If all namespaces are requested, keys except those of plans and inhibition rules
 * begin with `namespace/`. `null`: the row was removed, or no longer matches the filter.
 */
const feedRowsSchema = z.object({
  events: z.record(z.string(), feedEventRowSchema.nullable()).exactOptional(),
  silenced: z.record(z.string(), silencedRowSchema.nullable()).exactOptional(),
  clients: z.record(z.string(), clientRowSchema.nullable()).exactOptional(),
  upgrades: z.record(z.string(), upgradeRowSchema.nullable()).exactOptional(),
  /** Rows as in `GET /api/mon/v1/handler-groups` and `GET /api/mon/v1/inhibitions`. */
  groups: z.record(z.string(), groupResponse.nullable()).exactOptional(),
  inhibitions: z.record(z.string(), inhibitionResponse.nullable()).exactOptional(),
  /** Sets of attributes by their id. They arrive before the events that refer to them. */
  attributes: z.record(z.string(), attributeSetRowSchema.nullable()).exactOptional(),
});
export interface FeedRows {
  readonly events?: Readonly<Record<string, EventRow | null>>;
  readonly silenced?: Readonly<Record<string, SilencedRow | null>>;
  readonly clients?: Readonly<Record<string, ClientRow | null>>;
  readonly upgrades?: Readonly<Record<string, UpgradeRow | null>>;
  readonly groups?: Readonly<Record<string, GroupRow | null>>;
  readonly inhibitions?: Readonly<Record<string, InhibitionRow | null>>;
  readonly attributes?: Readonly<Record<string, AttributeSetRow | null>>;
}

/** Changes of events in brief, with the same keys as rows. */
const feedBriefsSchema = z.object({ events: z.record(z.string(), eventBriefSchema) });
export interface FeedBriefs {
  readonly events: Readonly<Record<string, EventBrief>>;
}

/** Rows in columns, by topic. Only events are numerous enough for columns. */
export interface FeedColumns {
  readonly events: EventColumns;
}

/**
 * Statistics, sent once a second. `results` and `clients` are for the requested namespaces, the other values for the
 * whole backend.
 */
const feedStatsSchema = z.object({
  /** Number of checks on clients, by the severity of their last result. */
  results: z.object({ ok: z.number(), warning: z.number(), critical: z.number(), unknown: z.number() }),
  clients: z.number(),
  /** Number of results that were committed in the last second. */
  rate: z.number(),
  /** Number of results that wait for their commit. */
  queue: z.number(),
  /** Number of entities in all namespaces; present only while the entity limit is nearly reached. */
  entities: entityUsageSchema.exactOptional(),
});
export type FeedStats = Readonly<z.infer<typeof feedStatsSchema>>;

const typeSchema = <Type extends string>(name: Type): z.ZodLiteral<Type> => z.literal(name);
const seqSchema = z.int().min(0);
const rowsSchema: z.ZodType<FeedRows> = feedRowsSchema;
const briefSchema: z.ZodType<FeedBriefs> = feedBriefsSchema;
const columnsSchema: z.ZodType<FeedColumns> = z.object({ events: eventColumnsSchema });
/** Time of the message, in epoch milliseconds on the backend's clock. */
const timeSchema = z.number();

/** Messages from the backend to a feed consumer. */
export const feedMessageSchema = z.discriminatedUnion('type', [
  z.object({
    type: typeSchema('hello'),
    version: z.string(),
    /** Identifies the store. A sequence number is valid only for its store. */
    store: z.string(),
    /** The display name of the backend. */
    name: z.string(),
    time: timeSchema,
    /** Whether the backend supports a pace. */
    pace: z.boolean().exactOptional(),
    /** Whether the backend supports events in brief. */
    brief: z.boolean().exactOptional(),
    /** Whether the backend supports snapshots in columns. */
    columns: z.boolean().exactOptional(),
    /** Whether the backend supports the topic `attributes`. */
    attributes: z.boolean().exactOptional(),
    /** Whether other backends may share the store; `GET /api/mon/v1/cluster` lists them. */
    shared: z.boolean().exactOptional(),
  }),
  /** A frame of a snapshot. `columns` has the events if the consumer requested columns; `rows` has all other rows. */
  z.object({ type: typeSchema('snapshot'), seq: seqSchema, rows: rowsSchema, columns: columnsSchema.exactOptional() }),
  z.object({ type: typeSchema('live'), seq: seqSchema }),
  z.object({
    type: typeSchema('changes'),
    seq: seqSchema,
    time: timeSchema,
    rows: rowsSchema,
    brief: briefSchema.exactOptional(),
  }),
  z.object({ type: typeSchema('reset'), reason: z.string() }),
  /**
   * A message of a transport. `data` is the output of the handler's mutator, by default the event as JSON; redacted.
   */
  z.object({ type: typeSchema('message'), transport: z.string(), time: timeSchema, data: z.string() }),
  /** Lost messages of a transport. `count` is their number since the last received message. */
  z.object({ type: typeSchema('missed'), transport: z.string(), time: timeSchema, count: z.number() }),
  z.object({ type: typeSchema('stats'), time: timeSchema, stats: feedStatsSchema }),
  z.object({ type: typeSchema('error'), code: z.string(), message: z.string() }),
  z.object({ type: typeSchema('ping') }),
  z.object({ type: typeSchema('pong') }),
]);
export type FeedMessage = Readonly<z.infer<typeof feedMessageSchema>>;
