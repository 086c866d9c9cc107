import { z } from 'zod';
import { texts, type AnswerOf } from './answer.ts';
import { inhibitorSchema } from './inhibition.ts';
import { recurrenceAnswer } from './recurrence.ts';
import { clientRowSchema, eventRowSchema, silencedRowSchema } from './feed.ts';

/**
 * Kinds of transitions: of a check on a client, and from `silence` on of a silence (spec, timeline 1).
 *
 * - `new`: the first result, which is OK
 * - `create`, `resolve`: the event opened, resolved
 * - `change`: the event changed its status
 * - `flapping`, `steady`: the event started, stopped flapping
 * - `recovering`, `relapse`: the check is OK again and the event waits for further OK results; it failed again
 * - `rename`: the check was renamed
 * - `remove`: its results were deleted, alone or with the client
 * - `silence`, `clear`, `expire`: a silence was created, cleared by somebody, or expired
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

/** The stored part of a transition, without its key. Attributes without information are omitted. */
const transitionShape = {
  kind: z.enum(TIMELINE_KINDS),
  /** Absent for a silence. */
  client: z.string().exactOptional(),
  /** The check; for a silence the one that it names; absent: every check. */
  check: z.string().exactOptional(),
  /** Previous status in the list of events: 0 without an event. Absent: unknown. */
  was: z.number().exactOptional(),
  /** New status; absent: unknown from then on. */
  status: z.number().exactOptional(),
  /** Whether its event flaps. */
  flapping: z.literal(true).exactOptional(),
  /** Occurrences of its event; for a resolution, those of the problem. */
  occurrences: z.number().exactOptional(),
  /** Beginning of the output, as in the list of events. */
  output: z.string().exactOptional(),
  /** Ids of the silences that matched at that moment. */
  silenced_by: texts.exactOptional(),
  /** The inhibitor that suppressed the event until its resolution. */
  inhibited_by: inhibitorSchema.exactOptional(),
  /** The person who did it, as in the audit trail. */
  by: z.string().exactOptional(),
  /** The new name of the check. */
  to: z.string().exactOptional(),
  /** Id of the silence. */
  silence: z.string().exactOptional(),
  /** The subscription that it names; absent: every client. */
  subscription: z.string().exactOptional(),
  /** The selector, which replaces subscription and check. */
  selector: z.string().exactOptional(),
  creator: z.string().exactOptional(),
  reason: z.string().exactOptional(),
  /** Epoch seconds of its begin; absent: at once. */
  begin: z.number().exactOptional(),
  /** Epoch milliseconds of its expiry; absent: never. */
  end: z.number().exactOptional(),
  /** Whether it ends when the event resolves. */
  expire_on_resolve: z.literal(true).exactOptional(),
  /** Its recurrence; each window is a transition of its own. */
  recurrence: recurrenceAnswer.exactOptional(),
};

const transitionSchema = z.object(transitionShape);
export type Transition = AnswerOf<typeof transitionSchema>;

/** A transition with its id and time. */
const timelineRowAnswer = z.object({
  /** Unique id: microseconds of its commit time, ascending in the order of transitions. */
  id: z.number(),
  /** Epoch milliseconds. */
  at: z.number(),
  /** Present only if all namespaces are requested. */
  namespace: z.string().exactOptional(),
  ...transitionShape,
});
export type TimelineRow = AnswerOf<typeof timelineRowAnswer>;

/** A page of the timeline: `GET /api/mon/v1/timeline`. */
export const timelineAnswer = z.object({
  /** The newest first. */
  transitions: z.array(timelineRowAnswer),
  /** The parameter `after` of the next page; null if the span has no older transitions. */
  next: z.number().nullable(),
  /** Epoch milliseconds since which the history is complete; null if none is retained. */
  retained_since: z.number().nullable(),
});
export type TimelinePage = AnswerOf<typeof timelineAnswer>;

/** A client that was known at the moment; its other attributes are the current ones. */
const pastClientAnswer = clientRowSchema.extend({
  /** Number of open events at the moment. */
  events: z.number(),
  /** Its current last keepalive, epoch seconds; `timestamp` is never later than the moment. */
  last_seen: z.number().exactOptional(),
  /** Whether the client was deleted since, so that only its name is known. */
  deleted: z.literal(true).exactOptional(),
});
export type PastClient = AnswerOf<typeof pastClientAnswer>;

/** The lists at a past moment: `GET /api/mon/v1/timeline/state` (spec, timeline 5). */
export const pastStateAnswer = z.object({
  /** Epoch milliseconds. */
  at: z.number(),
  /** The oldest moment that can be shown, epoch milliseconds. */
  retained_since: z.number(),
  /** Time of the last change before `at`, and of the first one after it, epoch milliseconds; null if there is none. */
  previous: z.number().nullable(),
  next: z.number().nullable(),
  /** Totals of everything, independent of the search. */
  counts: z.object({
    events: z.number(),
    warning: z.number(),
    critical: z.number(),
    unknown: z.number(),
    /** Number of silenced events of any severity. */
    silenced: z.number(),
    clients: z.number(),
    silences: z.number(),
  }),
  /** Number of events that match the search. */
  total: z.number(),
  /** Occurrences, time and output are those of the last transition. */
  events: z.array(eventRowSchema),
  /** Silences by id; only if requested. */
  silenced: z.array(silencedRowSchema).exactOptional(),
  /** Clients by name; only if requested. */
  clients: z.array(pastClientAnswer).exactOptional(),
});
export type PastState = AnswerOf<typeof pastStateAnswer>;

/** The differences between two moments: `GET /api/mon/v1/timeline/changes` (spec, timeline 5). */
export const pastChangesAnswer = z.object({
  /** Epoch milliseconds. */
  from: z.number(),
  at: z.number(),
  /** Whether there are too many differences; then none are listed, and the lists must be requested. */
  too_many_changes: z.boolean(),
  /** Times of the neighboring changes, as in the state of `at`. */
  previous: z.number().nullable(),
  next: z.number().nullable(),
  /** Events that may differ; if `silenced` is present, also all events that were silenced. */
  events: z.array(eventRowSchema),
  /** Events that may have existed at `from` and did not at `at`. */
  removed: z.array(z.object({ namespace: z.string().exactOptional(), client: z.string(), check: z.string() })),
  /** All silences; absent if they and the events that they silenced were the same. */
  silenced: z.array(silencedRowSchema).exactOptional(),
  /** Clients that were known and may differ. */
  clients: z.array(pastClientAnswer),
  removed_clients: z.array(z.object({ namespace: z.string().exactOptional(), name: z.string() })),
});
export type PastChanges = AnswerOf<typeof pastChangesAnswer>;
