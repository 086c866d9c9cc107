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
 * `live`; with `since` (and the `store` it came from) it gets only what changed after that sequence number, then
 * `live`. After `live` every frame of `changes` brings the newest state of each key that changed: a row that replaces
 * the one before, or `null` when it is gone. A consumer applies rows by key and remembers the last `seq`; what it holds
 * once that has moved equals the state of the backend at that sequence number. Rows that are too many for one frame come
 * in several, and only the last of them moves it. When the backend cannot resume it says `reset` and starts over with a
 * snapshot.
 *
 * A consumer hears of the namespace that it names, or of `default`. With `*` it hears of all that its credentials may see:
 * then each row of an event, a silenced entry, a client or a group says in `namespace` where it is, and its key begins with
 * that and a slash. Credentials that are kept to one namespace hear of that one only: naming another is refused as `forbidden`, and a
 * name that there is not as `not_found`. `since` is a place in the same namespaces: others begin with a snapshot.
 *
 * A consumer that shows nothing for a while, as a console without the focus does, asks by `pace` for fewer frames of
 * changes, each with the newest state of more keys. It may change its mind at any time, begins anew with each
 * connection, and is asked to look for `pace` in `hello` first: a backend that does not know it would hang up.
 *
 * With its pace it may name the events whose rows it wants whole, where `hello` has `brief`: what changes of the others then
 * comes in brief, as much of it as counters need, and `seq` stays at the last number at which it had all rows whole. As soon
 * as it wants them again, or one of them, the newest rows of what came in brief follow.
 *
 * A consumer that takes whole snapshots of many events asks for them in columns, where `hello` has `columns`: it therefore
 * waits with its `subscribe` for that. Changes come as rows to everyone.
 *
 * With `transports` a consumer asks for what handlers of the type `transport` publish under these names, beside its
 * topics or without any. Each piece comes once, in a `message` frame, while the consumer is connected: nothing is kept for
 * it or repeated, and `since` does not reach it. A consumer that does not take its frames loses pieces, and is told how
 * many by `missed`, so that the backend's memory does not grow.
 */
export const FEED_PROTOCOL = 'mon.feed.v1';
export const FEED_PATH = '/api/mon/v1/feed';

/** Both sides ping after this many seconds without a frame, and give up after two of them without an answer. */
export const FEED_HEARTBEAT_SECONDS = 5;

/** Only where all namespaces are asked for: where it is. */
const namespace = z.string().exactOptional();

/** An event as a table shows it. The whole event is at `GET /events/:client/:check`. */
export const eventRowSchema = z.object({
  namespace,
  client: z.string(),
  check: z.string(),
  status: z.number(),
  action: eventActionSchema,
  occurrences: z.number(),
  /** Epoch seconds: when it entered its present status. */
  since: z.number(),
  /** Epoch seconds: when the last result arrived. */
  last: z.number(),
  silenced_by: texts,
  /** First line of the output, at most 200 characters, not yet made safe for a terminal. */
  output: z.string(),
  /** Only while an inhibition keeps it from handlers: by which rule, and because of which event. */
  inhibited_by: inhibitorSchema.exactOptional(),
  /** Only while handlers have it in groups: the ids of those. */
  groups: texts.exactOptional(),
  /** Only while its check is OK again, and the event waits for more of that. */
  recovering: recoverySchema.exactOptional(),
});
export type EventRow = Readonly<z.infer<typeof eventRowSchema>> & {
  /** Only where events of several backends are listed as one, which no feed does: whose it is. */
  readonly backend?: string;
};

/** What few events have. */
const eventRestSchema = eventRowSchema.pick({ inhibited_by: true, groups: true, recovering: true });
export type EventRest = Pick<EventRow, 'inhibited_by' | 'groups' | 'recovering'>;

/** An attribute of many rows: each different value once, and of each row its place among them, from 0. */
export interface ValueColumn<Value> {
  readonly values: readonly Value[];
  readonly indices: readonly number[];
}
export const numbersSchema = z.array(z.number());
const valueColumn = <Value>(value: z.ZodType<Value>): z.ZodType<ValueColumn<Value>> =>
  z.object({ values: z.array(value), indices: numbersSchema });

/** Many events by attribute: each column has the same row at the same place. `domain/event-columns.ts` makes rows of them. */
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
  /** Attributes that few rows have, by the index of the row. */
  sparse: z.record(z.string(), eventRestSchema).exactOptional(),
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
  readonly sparse?: Readonly<Record<string, EventRest>>;
}

/** What counters and the order of a list need of an event. */
export const eventBriefSchema = eventRowSchema.pick({
  status: true,
  action: true,
  since: true,
  silenced_by: true,
  inhibited_by: true,
});
export type EventBrief = Pick<EventRow, 'status' | 'action' | 'since' | 'silenced_by' | 'inhibited_by'>;

/** A client as a table shows it. */
export const clientRowSchema = z.object({
  namespace,
  name: z.string(),
  address: z.string(),
  subscriptions: texts,
  /** Epoch seconds of the last sign of life. */
  timestamp: z.number(),
  version: z.string(),
});
export type ClientRow = Readonly<z.infer<typeof clientRowSchema>>;

/** A silenced entry with its absolute end instead of a countdown. */
export const silencedRowSchema = z.object({
  namespace,
  id: z.string(),
  subscription: z.string().nullable(),
  check: z.string().nullable(),
  /** Absent: subscription and check say what it silences. */
  selector: z.string().exactOptional(),
  reason: z.string().nullable(),
  creator: z.string().nullable(),
  /** Epoch seconds; null: in effect since it was made. */
  begin: z.number().nullable(),
  expire_on_resolve: z.boolean(),
  /** Epoch seconds. */
  timestamp: z.number(),
  /** Epoch seconds, to the millisecond; null: never. */
  expire_at: z.number().nullable(),
  /** The reminder of its end, which is sent once for each end; absent: none was sent (spec, reminder). */
  reminder_sent: reminderSentSchema.exactOptional(),
  /** That it has matched nothing for long; absent: it is not idle (spec, idleness). */
  idle: silenceIdleSchema.exactOptional(),
  /** Its begin and end are those of its present window, or else the next; absent: it is in force once. */
  recurrence: recurrenceAnswer.exactOptional(),
});
export type SilencedRow = Readonly<z.infer<typeof silencedRowSchema>>;

/** How far a plan for an upgrade is. The whole plan is at `GET /api/mon/v1/upgrades/:id`; a new revision is worth a look. */
const upgradeRowSchema = z.object({
  id: z.number(),
  revision: z.number(),
  from: z.string(),
  to: z.string(),
  state: planStateSchema,
  verdict: ruleVerdictSchema,
  /** Who works on it; null: nobody. */
  holder: z.string().nullable(),
  /** The next step, its number (from 1) and the number of steps; null: all are done. */
  step: z.object({ number: z.number(), total: z.number(), title: z.string(), state: planStepStateSchema }).nullable(),
});
export type UpgradeRow = Readonly<z.infer<typeof upgradeRowSchema>>;

/**
 * Rows by key: `client/check`, the entry's id, the client's name, the plan's id, the group's id, the inhibition's name; where
 * all namespaces are asked for, each but those of plans and inhibitions with `namespace/` before it. `null`: gone, or no
 * longer matching the filter.
 */
const feedRowsSchema = z.object({
  events: z.record(z.string(), eventRowSchema.nullable()).exactOptional(),
  silenced: z.record(z.string(), silencedRowSchema.nullable()).exactOptional(),
  clients: z.record(z.string(), clientRowSchema.nullable()).exactOptional(),
  upgrades: z.record(z.string(), upgradeRowSchema.nullable()).exactOptional(),
  /** As `GET /api/mon/v1/handler-groups` and `.../inhibitions` have them. */
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

/** By key, as rows are. */
const feedBriefsSchema = z.object({ events: z.record(z.string(), eventBriefSchema) });
export interface FeedBriefs {
  readonly events: Readonly<Record<string, EventBrief>>;
}

/** By topic: only events come by the hundred thousand. */
export interface FeedColumns {
  readonly events: EventColumns;
}

/** Figures once a second: results and clients of the namespaces that were asked for, the others of the whole backend. */
const feedStatsSchema = z.object({
  /** Results that the backend keeps there, by the status of the last one. */
  results: z.object({ ok: z.number(), warning: z.number(), critical: z.number(), unknown: z.number() }),
  clients: z.number(),
  /** Results committed in the last second. */
  rate: z.number(),
  /** Results waiting to be committed. */
  queue: z.number(),
  /** Of all namespaces; only while their limit is nearly reached. */
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

/** What the backend sends. */
export const feedMessageSchema = z.discriminatedUnion('type', [
  z.object({
    type: type('hello'),
    version: z.string(),
    /** Identifies the store: sequence numbers of another store mean nothing. */
    store: z.string(),
    /** The backend's name for people. */
    name: z.string(),
    time,
    /** Whether a consumer may ask for a pace. */
    pace: z.boolean().exactOptional(),
    /** Whether it may ask with it for events in brief. */
    brief: z.boolean().exactOptional(),
    /** Whether it may ask for the events of a snapshot in columns. */
    columns: z.boolean().exactOptional(),
    /** Whether other backends may have the store, too: `GET /api/mon/v1/cluster` tells of them. */
    shared: z.boolean().exactOptional(),
  }),
  /** `columns`: instead of rows, to who asked for them. */
  z.object({ type: type('snapshot'), seq, rows, columns: columns.exactOptional() }),
  z.object({ type: type('live'), seq }),
  z.object({ type: type('changes'), seq, time, rows, brief: brief.exactOptional() }),
  z.object({ type: type('reset'), reason: z.string() }),
  /** `data`: what the handler's mutator made of the event, by default its JSON; redacted. */
  z.object({ type: type('message'), transport: z.string(), time, data: z.string() }),
  /** `count`: pieces lost since the last one that came. */
  z.object({ type: type('missed'), transport: z.string(), time, count: z.number() }),
  z.object({ type: type('stats'), time, stats: feedStatsSchema }),
  z.object({ type: type('error'), code: z.string(), message: z.string() }),
  z.object({ type: type('ping') }),
  z.object({ type: type('pong') }),
]);
export type FeedMessage = Readonly<z.infer<typeof feedMessageSchema>>;
