import { z } from 'zod';
import type { EntityUsage } from './entity-usage.ts';
import { type EventAction, eventActionSchema } from './event.ts';
import type { PlanRunState, PlanRunStepState } from './plan-run.ts';
import type { SilencedView } from './silenced.ts';
import type { RuleVerdict } from './plan.ts';
import { texts } from './answer.ts';

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
 * then each row of an event, a silenced entry or a client says in `namespace` where it is, and its key begins with that and
 * a slash. Credentials that are kept to one namespace hear of that one only: naming another is refused as `forbidden`, and a
 * name that there is not as `not_found`. `since` is a place in the same namespaces: others begin with a snapshot.
 *
 * A consumer that shows nothing for a while, as a console without the focus does, asks by `pace` for fewer frames of
 * changes, each with the newest state of more keys. It may change its mind at any time, begins anew with each
 * connection, and is asked to look for `pace` in `hello` first: a backend that does not know it would hang up.
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

/** An event as a table shows it. The whole event is at `GET /events/:client/:check`. */
export interface EventRow {
  /** Only where events of several backends are listed as one, which no feed does: whose it is. */
  readonly backend?: string;
  /** Only where all namespaces are asked for: where it is. */
  readonly namespace?: string;
  readonly client: string;
  readonly check: string;
  readonly status: number;
  readonly action: EventAction;
  readonly occurrences: number;
  /** Epoch seconds: when it entered its present status. */
  readonly since: number;
  /** Epoch seconds: when the last result arrived. */
  readonly last: number;
  readonly silenced_by: readonly string[];
  /** First line of the output, at most 200 characters, not yet made safe for a terminal. */
  readonly output: string;
}

/** A client as a table shows it. */
export interface ClientRow {
  /** Only where all namespaces are asked for: where it is. */
  readonly namespace?: string;
  readonly name: string;
  readonly address: string;
  readonly subscriptions: readonly string[];
  /** Epoch seconds of the last sign of life. */
  readonly timestamp: number;
  readonly version: string;
}

/** How far a plan for an upgrade is. The whole plan is at `GET /api/mon/v1/upgrades/:id`; a new revision is worth a look. */
export interface UpgradeRow {
  readonly id: number;
  readonly revision: number;
  readonly from: string;
  readonly to: string;
  readonly state: PlanRunState;
  readonly verdict: RuleVerdict;
  /** Who works on it; null: nobody. */
  readonly holder: string | null;
  /** The step whose turn it is, `number` from 1 of `of`; null: all are over. */
  readonly step: {
    readonly number: number;
    readonly of: number;
    readonly title: string;
    readonly state: PlanRunStepState;
  } | null;
}

/**
 * Rows by key: `client/check`, the entry's id, the client's name, the plan's id; where all namespaces are asked for, each
 * but the last with `namespace/` before it. `null`: gone, or no longer matching the filter.
 */
export interface FeedRows {
  readonly events?: Readonly<Record<string, EventRow | null>>;
  readonly silenced?: Readonly<Record<string, SilencedRow | null>>;
  readonly clients?: Readonly<Record<string, ClientRow | null>>;
  readonly upgrades?: Readonly<Record<string, UpgradeRow | null>>;
}

/** A silenced entry with its absolute end instead of a countdown: epoch seconds, to the millisecond; null: never. */
export type SilencedRow = Omit<SilencedView, 'expire'> & {
  readonly expire_at: number | null;
  /** Only where all namespaces are asked for: where it is. */
  readonly namespace?: string;
};

/** Figures once a second: results and clients of the namespaces that were asked for, the others of the whole backend. */
export interface FeedStats {
  /** Results that the backend keeps there, by the status of the last one. */
  readonly results: {
    readonly ok: number;
    readonly warning: number;
    readonly critical: number;
    readonly unknown: number;
  };
  readonly clients: number;
  /** Results committed in the last second. */
  readonly rate: number;
  /** Results waiting to be committed. */
  readonly queue: number;
  /** Of all namespaces; only while their limit is nearly reached. */
  readonly entities?: EntityUsage;
}

/** What the backend sends. */
export type FeedMessage =
  | {
      readonly type: 'hello';
      readonly version: string;
      /** Identifies the store: sequence numbers of another store mean nothing. */
      readonly store: string;
      /** The backend's name for people. */
      readonly name: string;
      /** Epoch milliseconds on the backend's clock. */
      readonly time: number;
      /** Whether a consumer may ask for a pace. */
      readonly pace?: boolean;
    }
  | { readonly type: 'snapshot'; readonly seq: number; readonly rows: FeedRows }
  | { readonly type: 'live'; readonly seq: number }
  | { readonly type: 'changes'; readonly seq: number; readonly time: number; readonly rows: FeedRows }
  | { readonly type: 'reset'; readonly reason: string }
  | {
      readonly type: 'message';
      readonly transport: string;
      /** Epoch milliseconds on the backend's clock. */
      readonly time: number;
      /** What the handler's mutator made of the event, by default its JSON; redacted. */
      readonly data: string;
    }
  | {
      readonly type: 'missed';
      readonly transport: string;
      readonly time: number;
      /** Pieces lost since the last one that came. */
      readonly count: number;
    }
  | { readonly type: 'stats'; readonly time: number; readonly stats: FeedStats }
  | { readonly type: 'error'; readonly code: string; readonly message: string }
  | { readonly type: 'ping' }
  | { readonly type: 'pong' };

/** Key of an event row: no name can hold a slash. */
export function eventKey(client: string, check: string): string {
  return `${client}/${check}`;
}

/** As callers rely on it, see `answer.ts`. */
export const eventRowAnswer: z.ZodType<EventRow> = z.looseObject({
  namespace: z.string().exactOptional(),
  client: z.string(),
  check: z.string(),
  status: z.number(),
  action: eventActionSchema,
  occurrences: z.number(),
  since: z.number(),
  last: z.number(),
  silenced_by: texts,
  output: z.string(),
});
