import { z } from 'zod';
import { textsSchema, type ResponseOf } from './response.ts';
import { escalationChangeSchema } from './escalation.ts';
import { inhibitorSchema } from './inhibition.ts';
import { recurrenceResponse } from './recurrence.ts';
import { attributeSetRowSchema, clientRowSchema, feedEventRowSchema, silencedRowSchema } from './feed.ts';

/**
 * Kinds of transitions. The last three are about a silence, all others about a check on a client (spec, timeline 1).
 *
 * - `new`: the first result of a check, which is OK
 * - `create`, `resolve`: the event opened, resolved
 * - `change`: the status of the event changed
 * - `flapping`, `steady`: the event started, stopped flapping
 * - `recovering`: the check is OK again, and the event waits for more OK results before it resolves
 * - `relapse`: the check failed again while it was recovering
 * - `acknowledge`: an operator acknowledged the event; `creator` is the owner, `reason` the note, `end` the expiry
 * - `unacknowledge`: an operator removed the acknowledgement, or it expired
 * - `escalate`: an escalation of the event notified a step, or started, paused, resumed or ended
 * - `rename`: the check was renamed
 * - `remove`: the results of the check were deleted, alone or with the client
 * - `silence`, `clear`, `expire`: a silence was created, was cleared by somebody, or expired
 */
export const TIMELINE_KINDS = [
  'new',
  'create',
  'change',
  'flapping',
  'steady',
  'recovering',
  'relapse',
  'acknowledge',
  'unacknowledge',
  'escalate',
  'resolve',
  'rename',
  'remove',
  'silence',
  'clear',
  'expire',
] as const;

/** The stored attributes of a transition, without its key. Attributes without information are omitted. */
const transitionShape = {
  kind: z.enum(TIMELINE_KINDS),
  /** Name of the client; absent for the transition of a silence. */
  client: z.string().exactOptional(),
  /** Name of the check. For a silence: the check that it covers; absent: every check. */
  check: z.string().exactOptional(),
  /** Status of the event before the transition; 0 if there was no event; absent: unknown. */
  was: z.number().exactOptional(),
  /** Status after the transition; absent: unknown from then on. */
  status: z.number().exactOptional(),
  /** Present if the event is flapping. */
  flapping: z.literal(true).exactOptional(),
  /** Occurrences of the event; when it resolves, those of the problem. */
  occurrences: z.number().exactOptional(),
  /** The beginning of the output, as in the list of events. */
  output: z.string().exactOptional(),
  /** Ids of the silences that matched the event at that time. */
  silenced_by: textsSchema.exactOptional(),
  /** The inhibitor that suppressed the event until its resolution. */
  inhibited_by: inhibitorSchema.exactOptional(),
  /** The user who caused the transition, as in the audit trail. */
  by: z.string().exactOptional(),
  /** The change of an escalation; present only for `escalate`. */
  escalation: escalationChangeSchema.exactOptional(),
  /** The new name of a renamed check. */
  to: z.string().exactOptional(),
  /** Id of the silence. */
  silence: z.string().exactOptional(),
  /** The subscription that the silence covers; absent: every client. */
  subscription: z.string().exactOptional(),
  /** The selector of the silence, if it has one instead of `subscription` and `check`. */
  selector: z.string().exactOptional(),
  creator: z.string().exactOptional(),
  reason: z.string().exactOptional(),
  /** Start of the silence, in epoch seconds; absent: the time of the transition. */
  begin: z.number().exactOptional(),
  /** Time at which the silence expires, in epoch milliseconds; absent: never. */
  end: z.number().exactOptional(),
  /** Present if the silence ends when the event resolves. */
  expire_on_resolve: z.literal(true).exactOptional(),
  /** Present if a worse status does not end the acknowledgement. */
  sticky: z.literal(true).exactOptional(),
  /** The recurrence of the silence. Each of its windows is recorded as another transition. */
  recurrence: recurrenceResponse.exactOptional(),
};

const transitionSchema = z.object(transitionShape);
export type Transition = ResponseOf<typeof transitionSchema>;

/** A transition with its id and time. */
const timelineRowResponse = z.object({
  /** Unique id: the time of the commit in microseconds. A later transition has a greater id. */
  id: z.number(),
  /** Time of the transition, in epoch milliseconds. */
  at: z.number(),
  /** Namespace of the transition; present only if all namespaces are requested. */
  namespace: z.string().exactOptional(),
  ...transitionShape,
});
export type TimelineRow = ResponseOf<typeof timelineRowResponse>;

/** A page of the timeline: `GET /api/mon/v1/timeline`. */
export const timelineResponse = z.object({
  /** The transitions, newest first. */
  transitions: z.array(timelineRowResponse),
  /** The parameter `after` for the next page; null if there are no further pages. */
  next: z.number().nullable(),
  /** Time from which the history is complete, in epoch milliseconds; null if no history is stored. */
  retained_since: z.number().nullable(),
});
export type TimelinePage = ResponseOf<typeof timelineResponse>;

/** A client that existed at a past moment. All attributes except `events` and `timestamp` are the current ones. */
const pastClientResponse = clientRowSchema.extend({
  /** Number of events of the client that were open at that moment. */
  events: z.number(),
  /**
   * Time of the client's last keepalive until now, in epoch seconds. `timestamp` is the same, but at most the past
   * moment.
   */
  last_seen: z.number().exactOptional(),
  /** Present if the client was deleted since then. Then only its name and `events` are known. */
  deleted: z.literal(true).exactOptional(),
});
export type PastClient = ResponseOf<typeof pastClientResponse>;

/** The events, silences and clients at a past moment: `GET /api/mon/v1/timeline/state` (spec, timeline 5). */
export const pastStateResponse = z.object({
  /** The past moment, in epoch milliseconds. */
  at: z.number(),
  /** The oldest moment for which the state can be computed, in epoch milliseconds. */
  retained_since: z.number(),
  /**
   * Times of the last change before `at` and of the first change after it, in epoch milliseconds; null if there is
   * none.
   */
  previous: z.number().nullable(),
  next: z.number().nullable(),
  /** Totals of all events, clients and silences, also of those that the search does not match. */
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
  /** The events. `occurrences`, `last` and `output` are those of the last transition before the moment. */
  events: z.array(feedEventRowSchema),
  /** The sets of current attributes of clients and checks to which the events refer, by their id. */
  attributes: z.record(z.string(), attributeSetRowSchema).exactOptional(),
  /** The silences, sorted by id; present only if requested. */
  silenced: z.array(silencedRowSchema).exactOptional(),
  /** The clients, sorted by name; present only if requested. */
  clients: z.array(pastClientResponse).exactOptional(),
});
export type PastState = ResponseOf<typeof pastStateResponse>;

/** The differences between two moments: `GET /api/mon/v1/timeline/changes` (spec, timeline 5). */
export const pastChangesResponse = z.object({
  /** The two moments, in epoch milliseconds. */
  from: z.number(),
  at: z.number(),
  /** True if there are too many differences. Then none are listed, and the lists must be requested. */
  too_many_changes: z.boolean(),
  /** Times of the last change before `at` and of the first change after it, as in the state at that moment. */
  previous: z.number().nullable(),
  next: z.number().nullable(),
  /**
   * Events at the second moment, `at`, that may differ. If `silenced` is present, also all events that are silenced
   * then.
   */
  events: z.array(feedEventRowSchema),
  /** The sets of attributes to which the events refer, as in the state at that moment. */
  attributes: z.record(z.string(), attributeSetRowSchema).exactOptional(),
  /** Events that may have existed at `from` and did not exist at `at`. */
  removed: z.array(z.object({ namespace: z.string().exactOptional(), client: z.string(), check: z.string() })),
  /** All silences at `at`; absent if neither the silences nor the events that they covered differ. */
  silenced: z.array(silencedRowSchema).exactOptional(),
  /** Clients that existed at `at` and may differ. */
  clients: z.array(pastClientResponse),
  removed_clients: z.array(z.object({ namespace: z.string().exactOptional(), name: z.string() })),
});
export type PastChanges = ResponseOf<typeof pastChangesResponse>;
