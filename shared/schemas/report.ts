import { z } from 'zod';
import { auditRecordAnswer } from './audit.ts';
import { texts, type AnswerOf } from './answer.ts';
import { inhibitorSchema } from './inhibition.ts';

/** Actions on events and silences, as in the timeline (spec, report 3). */
const REPORT_ACTIONS = ['silenced', 'acknowledged', 'ended', 'resolved', 'deleted', 'renamed'] as const;
export type ReportActionKind = (typeof REPORT_ACTIONS)[number];

/** Present only if all namespaces are requested. */
const namespace = z.string().exactOptional();

/** A silence that was active for a check at the end of the report. */
const reportSilence = z.object({
  id: z.string(),
  /** Whether it covers only this client and check and ends with the event, so that it is an acknowledgement. */
  acknowledged: z.literal(true).exactOptional(),
  who: z.string().exactOptional(),
  reason: z.string().exactOptional(),
  /** Epoch milliseconds of its expiry; absent: never. */
  end: z.number().exactOptional(),
});
export type ReportSilence = AnswerOf<typeof reportSilence>;

/** A check with a problem during the report. */
const reportCheck = z.object({
  namespace,
  client: z.string(),
  check: z.string(),
  /** Status at the end of the report; absent if unknown. */
  status: z.number().exactOptional(),
  /** The worst status during the report. */
  worst: z.number(),
  /**
   * Epoch milliseconds when the current outage began, or the first one if none is open; null if that is before the
   * retained history.
   */
  began: z.number().nullable(),
  /** Epoch milliseconds when the last outage ended; null while it continues. */
  ended: z.number().nullable(),
  /** Number of outages, including one that began earlier. */
  outages: z.number(),
  /** Seconds of outage during the report, including silenced ones. */
  down: z.number(),
  /** Silenced seconds of these. */
  silenced: z.number(),
  /** Beginning of the newest known output of an event. */
  output: z.string(),
  /** Silences active at the end of the report. */
  silences: z.array(reportSilence),
  /** The inhibitor of its last outage, if all outages were inhibited. */
  inhibited_by: inhibitorSchema.exactOptional(),
});
export type ReportCheck = AnswerOf<typeof reportCheck>;

/** A part of the checks, and their total number. */
const reportChecks = z.object({ count: z.number(), checks: z.array(reportCheck) });

/** An event that inhibited others. */
const reportCause = z.object({
  namespace,
  ...inhibitorSchema.shape,
  /** Number of checks with inhibited problems, and of their clients. */
  checks: z.number(),
  clients: z.number(),
  /** Number of them that still have a problem at the end of the report. */
  open: z.number(),
});
export type ReportCause = AnswerOf<typeof reportCause>;

/** Number of outages of a check on all clients together. */
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

/** An action of a person; equal actions in the same minute are merged. */
const reportAction = z.object({
  namespace,
  /** Time of the first action, epoch milliseconds. */
  at: z.number(),
  who: z.string(),
  action: z.enum(REPORT_ACTIONS),
  /** Ids of silences, or `client/check`; only the first ones. */
  targets: texts,
  /** Total number of targets. */
  count: z.number(),
  reason: z.string().exactOptional(),
  /** Latest expiry of the silences, epoch milliseconds. */
  end: z.number().exactOptional(),
});
export type ReportAction = AnswerOf<typeof reportAction>;

/** An audit record without the values before and after. */
const reportChange = auditRecordAnswer.pick({
  id: true,
  at: true,
  who: true,
  action: true,
  target: true,
  reason: true,
});
export type ReportChange = AnswerOf<typeof reportChange>;

/** The handover report: `GET /api/mon/v1/report` (spec, report). */
export const reportAnswer = z.object({
  /** The span, epoch milliseconds. */
  since: z.number(),
  until: z.number(),
  /** Time since which the report is complete; null if no history is retained. */
  complete_since: z.number().nullable(),
  /** Whether it is incomplete because the report would have to read too many transitions. */
  truncated: z.boolean(),
  /** Totals of the problems during the report. */
  total: z.object({
    checks: z.number(),
    clients: z.number(),
    outages: z.number(),
    /** Seconds, for all checks together. */
    down: z.number(),
  }),
  /** Checks with a problem at the end, the worst first, then the oldest; inhibited ones come last. */
  open: reportChecks,
  /** Checks that recovered or were removed, the longest outages first; inhibited ones come last. */
  resolved: reportChecks,
  /**
   * Inhibited checks among all with problems: their number, and the inhibiting events, those with the most checks
   * first.
   */
  inhibited: z.object({ checks: z.number(), count: z.number(), causes: z.array(reportCause) }),
  /** The ten checks with the most outages. */
  noisiest: z.array(reportNoise),
  /** Actions of people on events and silences, newest first. */
  actions: z.object({ count: z.number(), actions: z.array(reportAction) }),
  /** Other audit records, newest first; null if the caller may not read them. */
  changes: z.object({ count: z.number(), changes: z.array(reportChange) }).nullable(),
});
export type Report = AnswerOf<typeof reportAnswer>;
