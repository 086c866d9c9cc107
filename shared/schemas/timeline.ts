import { z } from 'zod';
import { texts, type AnswerOf } from './answer.ts';
import { inhibitorSchema } from './inhibition.ts';
import { recurrenceAnswer } from './recurrence.ts';
import { clientRowSchema, eventRowSchema, silencedRowSchema } from './feed.ts';

/**
 * What a transition is: of a check on a client, and from `silence` on of a silenced entry (spec, timeline 1).
 *
 * - `new`: its first result, which is OK
 * - `create`, `resolve`: its event began, ended
 * - `change`: its event has another status
 * - `flapping`, `steady`: its event began to flap, or no longer does
 * - `recovering`, `relapse`: its check is OK again and the event waits for more of that, is not any more
 * - `rename`: its check has another name from here on
 * - `remove`: its results were deleted, alone or with its client
 * - `silence`, `clear`, `expire`: an entry was made, ended by somebody, or ended as it said it would
 */
export const TIMELINE_KINDS = [
  'new',
  'create',
  'change',
  'flapping',
  'steady',
  'recovering',
  'relapse',
  'resolve',
  'rename',
  'remove',
  'silence',
  'clear',
  'expire',
] as const;

/** A transition as it is stored beneath its place, and shown behind it. What says nothing is left out. */
const transitionShape = {
  kind: z.enum(TIMELINE_KINDS),
  /** Of a silenced entry: absent. */
  client: z.string().exactOptional(),
  /** Of a silenced entry: what it names; absent: every check. */
  check: z.string().exactOptional(),
  /** The status that it had in the list of events: 0 without an event. Absent: nothing was known of it. */
  was: z.number().exactOptional(),
  /** The status that it has from here on; absent: nothing is known of it any more. */
  status: z.number().exactOptional(),
  /** Whether its event flaps. */
  flapping: z.literal(true).exactOptional(),
  /** Of its event; of one that ends, how often it had occurred. */
  occurrences: z.number().exactOptional(),
  /** Beginning of the output, as in the list of events. */
  output: z.string().exactOptional(),
  /** Ids of the entries that silenced it at that moment. */
  silenced_by: texts.exactOptional(),
  /** Of an event that ends: what kept it from handlers until then. */
  inhibited_by: inhibitorSchema.exactOptional(),
  /** Who did it by hand, as the audit trail names them. */
  by: z.string().exactOptional(),
  /** Its name from here on. */
  to: z.string().exactOptional(),
  /** Of a silenced entry: its id. */
  silence: z.string().exactOptional(),
  /** What it names; absent: every client. */
  subscription: z.string().exactOptional(),
  /** What finds what it silences, in place of subscription and check. */
  selector: z.string().exactOptional(),
  creator: z.string().exactOptional(),
  reason: z.string().exactOptional(),
  /** Epoch seconds from which it is in effect; absent: at once. */
  begin: z.number().exactOptional(),
  /** Epoch milliseconds at which it ends by itself; absent: never. */
  end: z.number().exactOptional(),
  /** Whether it ends with the event. */
  expire_on_resolve: z.literal(true).exactOptional(),
  /** Its schedule, where it is in force again and again: each window is told by a transition of its own. */
  recurrence: recurrenceAnswer.exactOptional(),
};

const transitionSchema = z.object(transitionShape);
export type Transition = AnswerOf<typeof transitionSchema>;

/** A transition in its place. */
const timelineRowAnswer = z.object({
  /** Microseconds of the time of its commit, made unique: they grow in the order of the transitions. */
  id: z.number(),
  /** Epoch milliseconds. */
  at: z.number(),
  /** Only where all namespaces are asked for: where it is. */
  namespace: z.string().exactOptional(),
  ...transitionShape,
});
export type TimelineRow = AnswerOf<typeof timelineRowAnswer>;

/** A page of the timeline: `GET /api/mon/v1/timeline`. */
export const timelineAnswer = z.object({
  /** The newest first. */
  transitions: z.array(timelineRowAnswer),
  /** What to ask for as `after` to go on; null: there is nothing older in the span. */
  next: z.number().nullable(),
  /** The oldest time of which all transitions are stored, epoch milliseconds; null: none are. */
  retained_since: z.number().nullable(),
});
export type TimelinePage = AnswerOf<typeof timelineAnswer>;

/** A client of which something was known: what else is told of it is of today. */
const pastClientAnswer = clientRowSchema.extend({
  /** Open events that it had. */
  events: z.number(),
  /** The time of its latest keepalive until now, epoch seconds: `timestamp` is no later than `at`. */
  last_seen: z.number().exactOptional(),
  /** True if it has been deleted since: then only its name is known. */
  deleted: z.literal(true).exactOptional(),
});
export type PastClient = AnswerOf<typeof pastClientAnswer>;

/** The lists as they were: `GET /api/mon/v1/timeline/state` (spec, timeline 5). */
export const pastStateAnswer = z.object({
  /** Epoch milliseconds. */
  at: z.number(),
  /** The oldest time whose state is available, epoch milliseconds. */
  retained_since: z.number(),
  /** When something changed last before `at`, and first after it, epoch milliseconds; null: nothing did. */
  previous: z.number().nullable(),
  next: z.number().nullable(),
  /** Of everything that there was, whatever is searched for. */
  counts: z.object({
    events: z.number(),
    warning: z.number(),
    critical: z.number(),
    unknown: z.number(),
    /** Events of any severity that were silenced. */
    silenced: z.number(),
    clients: z.number(),
    silences: z.number(),
  }),
  /** How many events the search finds. */
  total: z.number(),
  /** Count, time and output are those of the last transition. */
  events: z.array(eventRowSchema),
  /** By id; only where they are asked for. */
  silenced: z.array(silencedRowSchema).exactOptional(),
  /** By name; only where they are asked for. */
  clients: z.array(pastClientAnswer).exactOptional(),
});
export type PastState = AnswerOf<typeof pastStateAnswer>;

/** What is different at one moment from another: `GET /api/mon/v1/timeline/changes` (spec, timeline 5). */
export const pastChangesAnswer = z.object({
  /** Epoch milliseconds. */
  from: z.number(),
  at: z.number(),
  /** True if there are too many differences for this response: the lists are empty; read the state instead. */
  too_many_changes: z.boolean(),
  /** As in the state of `at`. */
  previous: z.number().nullable(),
  next: z.number().nullable(),
  /** Events that may be others, and where `silenced` is there all that were silenced. */
  events: z.array(eventRowSchema),
  /** Keys of events that do not exist at `at`. */
  removed: z.array(z.object({ namespace: z.string().exactOptional(), client: z.string(), check: z.string() })),
  /** All of them; absent: they were the same, and so is what they silenced. */
  silenced: z.array(silencedRowSchema).exactOptional(),
  /** Those of which something was known and other things may have been known. */
  clients: z.array(pastClientAnswer),
  removed_clients: z.array(z.object({ namespace: z.string().exactOptional(), name: z.string() })),
});
export type PastChanges = AnswerOf<typeof pastChangesAnswer>;
