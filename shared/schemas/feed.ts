import { z } from 'zod';
import { texts } from './answer.ts';
import { entityUsageSchema } from './entity-usage.ts';
import { eventActionSchema } from './event.ts';
import { groupAnswer, type GroupRow } from './grouping.ts';
import { inhibitionAnswer, inhibitorSchema, type InhibitionRow } from './inhibition.ts';
import { recoverySchema } from './recovery.ts';
import { recurrenceAnswer } from './recurrence.ts';
import { reminderSentSchema, silenceIdleSchema } from './silenced.ts';
import { planStateSchema, planStepStateSchema } from './plan-run.ts';
import { ruleVerdictSchema } from './plan.ts';

/**
 * The live feed: WebSocket at `/api/mon/v1/feed`, JSON text frames.
 *
 * A consumer sends one `subscribe`. Without `since` it gets the whole state of its topics as `snapshot` frames, then
 * `live`. With `since` (and the `store` it came from) it gets only the changes after that sequence number, then `live`.
 * After `live` every frame of `changes` has the newest state of each changed key: a row that replaces the previous one,
 * or `null` if it was removed. A consumer applies rows by key and stores the last `seq`; whenever `seq` has advanced,
 * its rows equal the state of the backend at that number. Rows that exceed one frame are split into several, and only
 * the last one advances `seq`. If the backend cannot resume, it sends `reset` and starts over with a snapshot.
 *
 * A consumer receives the namespace that it names, or `default`. With `*` it receives all namespaces that its
 * credentials may read. Then each row of an event, a silence, a client or a group has a `namespace`, and its key begins
 * with that and a slash. Credentials limited to one namespace receive that one only: another name is rejected as
 * `forbidden`, and an unknown one as `not_found`. `since` is valid only for the same namespaces: others begin with a
 * snapshot.
 *
 * A consumer that displays nothing for a while, such as a console without focus, can request fewer frames of changes by
 * `pace`. Each frame then has the newest state of more keys. It may change the pace at any time; each connection starts
 * without one. It must check for `pace` in `hello` first, because an older backend would close the connection.
 *
 * If `hello` has `brief`, the pace may name the events to send in full. Changes of other events are then sent in brief,
 * with the attributes that counters need. `seq` stays at the last number at which all rows were sent in full. When the
 * consumer requests all events or one of them in full again, the newest rows of those sent in brief follow.
 *
 * If `hello` has `columns`, a consumer can request the events of a snapshot in columns, so it must wait for the hello
 * before its `subscribe`. Changes are always sent as rows.
 *
 * With `transports` a consumer subscribes to the messages that handlers of the type `transport` publish under these
 * names, with or without topics. Each message is sent once, in a `message` frame, while the consumer is connected.
 * Messages are not stored or repeated, and `since` does not apply to them. A consumer that does not read its frames
 * loses messages, so that the backend's memory does not grow, and gets their number in `missed`.
 */
export const FEED_PROTOCOL = 'mon.feed.v1';
export const FEED_PATH = '/api/mon/v1/feed';

/** Both sides ping after this many seconds without a frame, and disconnect after two unanswered pings. */
export const FEED_HEARTBEAT_SECONDS = 5;

/** Present only if all namespaces are requested. */
const namespace = z.string().exactOptional();

/** An event as a table row. The whole event is at `GET /events/:client/:check`. */
export const eventRowSchema = z.object({
  namespace,
  client: z.string(),
  check: z.string(),
  status: z.number(),
  action: eventActionSchema,
  occurrences: z.number(),
  /** Epoch seconds when it entered its present status. */
  since: z.number(),
  /** Epoch seconds when the last result arrived. */
  last: z.number(),
  silenced_by: texts,
  /** First line of the output, at most 200 characters, not yet made safe for a terminal. */
  output: z.string(),
  /** Present only while the event is inhibited: the rule and the inhibiting event. */
  inhibited_by: inhibitorSchema.exactOptional(),
  /** Present only while handlers have it in groups: the ids of these groups. */
  groups: texts.exactOptional(),
  /** Present only while its check is OK again, and the event waits for further OK results. */
  recovering: recoverySchema.exactOptional(),
});
export type EventRow = Readonly<z.infer<typeof eventRowSchema>> & {
  /** The backend of the event, in lists that merge several backends; never in a feed. */
  readonly backend?: string;
};

/** Attributes that few events have. */
const sparseEventAttributesSchema = eventRowSchema.pick({ inhibited_by: true, groups: true, recovering: true });
export type SparseEventAttributes = Pick<EventRow, 'inhibited_by' | 'groups' | 'recovering'>;

/** A column of values: each distinct value once, and for each row the index of its value, from 0. */
export interface ValueColumn<Value> {
  readonly values: readonly Value[];
  readonly indices: readonly number[];
}
export const numbersSchema = z.array(z.number());
const valueColumn = <Value>(value: z.ZodType<Value>): z.ZodType<ValueColumn<Value>> =>
  z.object({ values: z.array(value), indices: numbersSchema });

/** Events in columns, in which each row has the same index. `domain/event-columns.ts` converts them to rows. */
const eventColumnsSchema = z.object({
  namespace: valueColumn(z.string()).exactOptional(),
  client: valueColumn(z.string()),
  check: valueColumn(z.string()),
  status: numbersSchema,
  action: valueColumn(eventActionSchema),
  occurrences: numbersSchema,
  since: numbersSchema,
  last: numbersSchema,
  silenced_by: valueColumn(texts),
  output: valueColumn(z.string()),
  /** Attributes that few events have, by the index of the row. */
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
  readonly sparse?: Readonly<Record<string, SparseEventAttributes>>;
}

/** The attributes of an event that counters and the order of a list need. */
export const eventBriefSchema = eventRowSchema.pick({
  status: true,
  action: true,
  since: true,
  silenced_by: true,
  inhibited_by: true,
});
export type EventBrief = Pick<EventRow, 'status' | 'action' | 'since' | 'silenced_by' | 'inhibited_by'>;

/** A client as a table row. */
export const clientRowSchema = z.object({
  namespace,
  name: z.string(),
  address: z.string(),
  subscriptions: texts,
  /** Epoch seconds of the last keepalive. */
  timestamp: z.number(),
  version: z.string(),
});
export type ClientRow = Readonly<z.infer<typeof clientRowSchema>>;

/** A silence with its absolute end instead of a countdown. */
export const silencedRowSchema = z.object({
  namespace,
  id: z.string(),
  subscription: z.string().nullable(),
  check: z.string().nullable(),
  /** Absent if subscription and check define the target. */
  selector: z.string().exactOptional(),
  reason: z.string().nullable(),
  creator: z.string().nullable(),
  /** Epoch seconds; null: active since it was created. */
  begin: z.number().nullable(),
  expire_on_resolve: z.boolean(),
  /** Epoch seconds. */
  timestamp: z.number(),
  /** Epoch seconds, to the millisecond; null: never. */
  expire_at: z.number().nullable(),
  /** The reminder about its end, with the number of events it suppressed; sent once for each end (spec, reminder). */
  reminder_sent: reminderSentSchema.exactOptional(),
  /** Present if the silence is idle, because it has matched nothing for long (spec, idleness). */
  idle: silenceIdleSchema.exactOptional(),
  /** The recurrence, for which begin and end are those of the present or next window; absent if it does not recur. */
  recurrence: recurrenceAnswer.exactOptional(),
});
export type SilencedRow = Readonly<z.infer<typeof silencedRowSchema>>;

/**
 * The progress of an upgrade plan. The whole plan is at `GET /api/mon/v1/upgrades/:id`; it has changed if the revision
 * is new.
 */
const upgradeRowSchema = z.object({
  id: z.number(),
  revision: z.number(),
  from: z.string(),
  to: z.string(),
  state: planStateSchema,
  verdict: ruleVerdictSchema,
  /** The owner of the plan; null: none. */
  holder: z.string().nullable(),
  /** The current step, `number` from 1 of `total`; null if all are done. */
  step: z.object({ number: z.number(), total: z.number(), title: z.string(), state: planStepStateSchema }).nullable(),
});
export type UpgradeRow = Readonly<z.infer<typeof upgradeRowSchema>>;

/**
 * Rows by key: `client/check`, the silence's id, the client's name, the plan's id, the group's id, the inhibition's
 * name. If all namespaces are requested, keys except those of plans and inhibitions are prefixed with `namespace/`.
 * `null`: removed, or no longer matching the filter.
 */
const feedRowsSchema = z.object({
  events: z.record(z.string(), eventRowSchema.nullable()).exactOptional(),
  silenced: z.record(z.string(), silencedRowSchema.nullable()).exactOptional(),
  clients: z.record(z.string(), clientRowSchema.nullable()).exactOptional(),
  upgrades: z.record(z.string(), upgradeRowSchema.nullable()).exactOptional(),
  /** Rows as in `GET /api/mon/v1/handler-groups` and `.../inhibitions`. */
  groups: z.record(z.string(), groupAnswer.nullable()).exactOptional(),
  inhibitions: z.record(z.string(), inhibitionAnswer.nullable()).exactOptional(),
});
export interface FeedRows {
  readonly events?: Readonly<Record<string, EventRow | null>>;
  readonly silenced?: Readonly<Record<string, SilencedRow | null>>;
  readonly clients?: Readonly<Record<string, ClientRow | null>>;
  readonly upgrades?: Readonly<Record<string, UpgradeRow | null>>;
  readonly groups?: Readonly<Record<string, GroupRow | null>>;
  readonly inhibitions?: Readonly<Record<string, InhibitionRow | null>>;
}

/** Briefs by key, like rows. */
const feedBriefsSchema = z.object({ events: z.record(z.string(), eventBriefSchema) });
export interface FeedBriefs {
  readonly events: Readonly<Record<string, EventBrief>>;
}

/** Columns by topic; only events are numerous enough. */
export interface FeedColumns {
  readonly events: EventColumns;
}

/** Statistics, once a second: results and clients of the requested namespaces, all others of the whole backend. */
const feedStatsSchema = z.object({
  /** Number of stored results, by the severity of the last one. */
  results: z.object({ ok: z.number(), warning: z.number(), critical: z.number(), unknown: z.number() }),
  clients: z.number(),
  /** Results committed in the last second. */
  rate: z.number(),
  /** Results waiting to be committed. */
  queue: z.number(),
  /** Entities of all namespaces; only while their limit is nearly reached. */
  entities: entityUsageSchema.exactOptional(),
});
export type FeedStats = Readonly<z.infer<typeof feedStatsSchema>>;

const type = <Type extends string>(name: Type): z.ZodLiteral<Type> => z.literal(name);
const seq = z.int().min(0);
const rows: z.ZodType<FeedRows> = feedRowsSchema;
const brief: z.ZodType<FeedBriefs> = feedBriefsSchema;
const columns: z.ZodType<FeedColumns> = z.object({ events: eventColumnsSchema });
/** Epoch milliseconds on the backend's clock. */
const time = z.number();

/** Messages from the backend. */
export const feedMessageSchema = z.discriminatedUnion('type', [
  z.object({
    type: type('hello'),
    version: z.string(),
    /** Identifies the store: sequence numbers are not valid in another store. */
    store: z.string(),
    /** The backend's name for people. */
    name: z.string(),
    time,
    /** Whether the backend supports a pace. */
    pace: z.boolean().exactOptional(),
    /** Whether it supports events in brief. */
    brief: z.boolean().exactOptional(),
    /** Whether it supports snapshots in columns. */
    columns: z.boolean().exactOptional(),
    /** Whether other backends may share the store; `GET /api/mon/v1/cluster` lists them. */
    shared: z.boolean().exactOptional(),
  }),
  /** `columns`: replaces rows for consumers that requested it. */
  z.object({ type: type('snapshot'), seq, rows, columns: columns.exactOptional() }),
  z.object({ type: type('live'), seq }),
  z.object({ type: type('changes'), seq, time, rows, brief: brief.exactOptional() }),
  z.object({ type: type('reset'), reason: z.string() }),
  /** `data`: output of the handler's mutator, by default the event as JSON; redacted. */
  z.object({ type: type('message'), transport: z.string(), time, data: z.string() }),
  /** `count`: messages lost since the last one received. */
  z.object({ type: type('missed'), transport: z.string(), time, count: z.number() }),
  z.object({ type: type('stats'), time, stats: feedStatsSchema }),
  z.object({ type: type('error'), code: z.string(), message: z.string() }),
  z.object({ type: type('ping') }),
  z.object({ type: type('pong') }),
]);
export type FeedMessage = Readonly<z.infer<typeof feedMessageSchema>>;
