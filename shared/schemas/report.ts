import { z } from 'zod';
import { auditRecordAnswer } from './audit.ts';
import { texts, type AnswerOf } from './answer.ts';
import { inhibitorSchema } from './inhibition.ts';

/** Actions of operators on events and silences, from the timeline (spec, report 3). */
const REPORT_ACTIONS = ['silenced', 'acknowledged', 'ended', 'resolved', 'deleted', 'renamed'] as const;
export type ReportActionKind = (typeof REPORT_ACTIONS)[number];

/** Only where all namespaces are asked for: where it is. */
const namespace = z.string().exactOptional();

/** A silence that was in effect for a check at the end of the report. */
const reportSilence = z.object({
  id: z.string(),
  /** Whether it is about this client and check alone and ends with the event: somebody is at it. */
  acknowledged: z.literal(true).exactOptional(),
  who: z.string().exactOptional(),
  reason: z.string().exactOptional(),
  /** Epoch milliseconds at which it ends by itself; absent: never. */
  end: z.number().exactOptional(),
});
export type ReportSilence = AnswerOf<typeof reportSilence>;

/** A check that was not well for some time of the report. */
const reportCheck = z.object({
  namespace,
  client: z.string(),
  check: z.string(),
  /** At the end of the report: 0 is well; absent: nothing is known of it any more. */
  status: z.number().exactOptional(),
  /** The worst status that it had. */
  worst: z.number(),
  /** Epoch milliseconds since which it is not well without a break, or of the first time that it was not; null: longer than is kept. */
  began: z.number().nullable(),
  /** When the last outage ended; null: it goes on. */
  ended: z.number().nullable(),
  /** How often it was not well, together with what had begun before. */
  outages: z.number(),
  /** Seconds within the report in which it was not well, whether silenced or not. */
  down: z.number(),
  /** How many of them were under a silence. */
  silenced: z.number(),
  /** The newest of an event that is known, its beginning. */
  output: z.string(),
  /** In effect at the end of the report. */
  silences: z.array(reportSilence),
  /** What kept the last of its outages from handlers, where all of them were: it followed from something else. */
  inhibited_by: inhibitorSchema.exactOptional(),
});
export type ReportCheck = AnswerOf<typeof reportCheck>;

/** Checks of many, and how many there are in all. */
const reportChecks = z.object({ count: z.number(), checks: z.array(reportCheck) });

/** An event because of which others were kept from handlers. */
const reportCause = z.object({
  namespace,
  ...inhibitorSchema.shape,
  /** Checks that were not well and of which nobody was told for that, on so many clients. */
  checks: z.number(),
  clients: z.number(),
  /** How many of them are not well at the end of the report. */
  open: z.number(),
});
export type ReportCause = AnswerOf<typeof reportCause>;

/** How often a check was not well on all clients together. */
const reportNoise = z.object({
  namespace,
  check: z.string(),
  outages: z.number(),
  clients: z.number(),
  /** The client with the most outages, and their number. */
  client: z.string(),
  client_outages: z.number(),
});
export type ReportNoise = AnswerOf<typeof reportNoise>;

/** What somebody did, with what is the same of the same minute. */
const reportAction = z.object({
  namespace,
  /** Of the first of them, epoch milliseconds. */
  at: z.number(),
  who: z.string(),
  action: z.enum(REPORT_ACTIONS),
  /** Ids of silences, or `client/check`: the first of them. */
  targets: texts,
  /** How many there are. */
  count: z.number(),
  reason: z.string().exactOptional(),
  /** Of silences that end by themselves: when the last of them does, epoch milliseconds. */
  end: z.number().exactOptional(),
});
export type ReportAction = AnswerOf<typeof reportAction>;

/** A record of the audit trail, without what was there before and after. */
const reportChange = auditRecordAnswer.pick({
  id: true,
  at: true,
  who: true,
  action: true,
  target: true,
  reason: true,
});
export type ReportChange = AnswerOf<typeof reportChange>;

/** What there is to hand over: `GET /api/mon/v1/report` (spec, report). */
export const reportAnswer = z.object({
  /** The span, epoch milliseconds. */
  since: z.number(),
  until: z.number(),
  /** From when on everything is in it; null: nothing of the past is kept. */
  complete_since: z.number().nullable(),
  /** True if the report begins later than requested, because the range has too many transitions for one report. */
  truncated: z.boolean(),
  /** Of what was not well at some time. */
  total: z.object({
    checks: z.number(),
    clients: z.number(),
    outages: z.number(),
    /** Seconds, of all checks together. */
    down: z.number(),
  }),
  /** Not well at its end, the worst first, then the oldest; what followed from something else after the rest. */
  open: reportChecks,
  /** Checks that are OK again or were deleted: the longest outages first, inhibited ones last. */
  resolved: reportChecks,
  /** What followed from something else, of all that was not well: how many checks, and because of what, the most first. */
  inhibited: z.object({ checks: z.number(), count: z.number(), causes: z.array(reportCause) }),
  /** The ten checks that were not well most often. */
  noisiest: z.array(reportNoise),
  /** What people did to events and silences, the newest first. */
  actions: z.object({ count: z.number(), actions: z.array(reportAction) }),
  /** What else the audit trail has, the newest first; null: the caller may not read it. */
  changes: z.object({ count: z.number(), changes: z.array(reportChange) }).nullable(),
});
export type Report = AnswerOf<typeof reportAnswer>;
