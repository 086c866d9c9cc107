import { z } from 'zod';
import { auditRecordResponse } from './audit.ts';
import { textsSchema, type ResponseOf } from './response.ts';
import { inhibitorSchema } from './inhibition.ts';

/** Operator actions on events and silences that a report lists; the timeline records them (spec, report 3). */
const REPORT_ACTIONS = ['silenced', 'acknowledged', 'ended', 'resolved', 'deleted', 'renamed'] as const;
export type ReportActionKind = (typeof REPORT_ACTIONS)[number];

/** Namespace of the object; present only if all namespaces are requested. */
const namespaceSchema = z.string().exactOptional();

/** A silence or an acknowledgement that was active for a check at the end of the time range of a report. */
const reportSilence = z.object({
  /** Id of the silence; `acknowledgement` for the acknowledgement of the event. */
  id: z.string(),
  /** Present for an acknowledgement, and for a silence of only this check on this client that ends with the event. */
  acknowledged: z.literal(true).exactOptional(),
  who: z.string().exactOptional(),
  reason: z.string().exactOptional(),
  /** Time of expiry in epoch milliseconds; absent: never. */
  end: z.number().exactOptional(),
});
export type ReportSilence = ResponseOf<typeof reportSilence>;

/** A check on a client that had a problem in the time range of the report. */
const reportCheck = z.object({
  namespace: namespaceSchema,
  client: z.string(),
  check: z.string(),
  /** Status at the end of the time range; absent if unknown. */
  status: z.number().exactOptional(),
  /** The worst status in the time range. */
  worst: z.number(),
  /**
   * Start of the outage that is open at the end of the time range, or of the first outage if none is open, in epoch
   * milliseconds; null if it is before the stored history.
   */
  began: z.number().nullable(),
  /** End of the last outage in epoch milliseconds; null if it is open at the end of the time range. */
  ended: z.number().nullable(),
  /** Number of outages, including one that began before the time range. */
  outages: z.number(),
  /** Seconds of outages in the time range, including silenced ones. */
  down: z.number(),
  /** Seconds of outages that were silenced. */
  silenced: z.number(),
  /** Beginning of the newest output of a problem in the time range; if none is recorded, of the last output. */
  output: z.string(),
  /** Silences of the check that are active at the end of the time range; empty if no outage is open. */
  silences: z.array(reportSilence),
  /** The inhibitor of the last outage; present only if all outages were inhibited. */
  inhibited_by: inhibitorSchema.exactOptional(),
});
export type ReportCheck = ResponseOf<typeof reportCheck>;

/** The total number of checks, and a list that may contain only the first of them. */
const reportChecks = z.object({ count: z.number(), checks: z.array(reportCheck) });

/** The open problems of a check on all clients together. Problems with another inhibitor are counted separately. */
const reportOpenCheck = z.object({
  namespace: namespaceSchema,
  check: z.string(),
  /** Number of clients on which the check has a problem at the end of the time range. */
  count: z.number(),
  /** The client with the worst problem; of several, the one whose problem is the oldest. */
  client: z.string(),
  /** Status of the check on this client at the end of the time range. */
  status: z.number(),
  /** Start of the oldest of these outages in epoch milliseconds; null if it is before the stored history or range. */
  began: z.number().nullable(),
  /** Output of the check on this client. */
  output: z.string(),
  inhibited_by: inhibitorSchema.exactOptional(),
});
export type ReportOpenCheck = ResponseOf<typeof reportOpenCheck>;

/** The number of open problems in a period, at its moment with the most problems; null before the stored history. */
const openCounts = z.array(z.number().nullable());

/** The numbers of open problems over the time range, also of silenced and inhibited ones. */
const openOverTime = z.object({
  /** Length of a period in seconds. The first period begins at the start of the time range. */
  period: z.number(),
  critical: openCounts,
  warning: openCounts,
  unknown: openCounts,
});
export type OpenOverTime = ResponseOf<typeof openOverTime>;

/** An event that inhibited the problems of other checks. */
const reportCause = z.object({
  namespace: namespaceSchema,
  ...inhibitorSchema.shape,
  /** Numbers of checks, and of different clients, whose problems it inhibited. */
  checks: z.number(),
  clients: z.number(),
  /** Number of these checks that have a problem at the end of the time range. */
  open: z.number(),
});
export type ReportCause = ResponseOf<typeof reportCause>;

/** The outages of a check on all clients together. */
const reportNoise = z.object({
  namespace: namespaceSchema,
  check: z.string(),
  outages: z.number(),
  clients: z.number(),
  /** The client with the most outages of the check, and their number. */
  client: z.string(),
  client_outages: z.number(),
});
export type ReportNoise = ResponseOf<typeof reportNoise>;

/** An action of a person. Equal actions that follow each other within a minute are merged. */
const reportAction = z.object({
  namespace: namespaceSchema,
  /** Time of the earliest of the merged actions, in epoch milliseconds. */
  at: z.number(),
  who: z.string(),
  action: z.enum(REPORT_ACTIONS),
  /** The objects of the action: ids of silences, or `client/check`. Only the first few are listed. */
  targets: textsSchema,
  /** Total number of targets. */
  count: z.number(),
  reason: z.string().exactOptional(),
  /** The latest expiry of the silences, in epoch milliseconds; absent if one of them never expires. */
  end: z.number().exactOptional(),
});
export type ReportAction = ResponseOf<typeof reportAction>;

/** A step of an escalation. Equal steps that follow each other within a minute are merged. */
const reportEscalation = z.object({
  namespace: namespaceSchema,
  /** Time of the earliest of the merged steps, in epoch milliseconds. */
  at: z.number(),
  /** Name of the handler of type `escalation`. */
  handler: z.string(),
  /** Number of the step, and number of steps. */
  step: z.number(),
  of: z.number(),
  /** Number of the repetition of the last step; absent: the step was not repeated. */
  repeat: z.number().exactOptional(),
  /** The events, as `client/check`. Only the first few are listed. */
  targets: textsSchema,
  /** Total number of events. */
  count: z.number(),
  /** Names of the handlers that the step notified. */
  notified: textsSchema,
});
export type ReportEscalation = ResponseOf<typeof reportEscalation>;

/** An audit record without the previous and the new value. */
const reportChange = auditRecordResponse.pick({
  id: true,
  at: true,
  who: true,
  action: true,
  target: true,
  reason: true,
});
export type ReportChange = ResponseOf<typeof reportChange>;

/** The handover report: `GET /api/mon/v1/report` (spec, report). */
export const reportResponse = z.object({
  /** Start and end of the time range, in epoch milliseconds. */
  since: z.number(),
  until: z.number(),
  /** Time from which the report is complete, in epoch milliseconds; null if no history is stored. */
  complete_since: z.number().nullable(),
  /** True if the report is incomplete, because it would have to read too many transitions. */
  truncated: z.boolean(),
  /** Totals of the problems in the time range. */
  total: z.object({
    checks: z.number(),
    clients: z.number(),
    outages: z.number(),
    /** Seconds of outages of all checks together. */
    down: z.number(),
  }),
  /** Checks with a problem at the end of the time range: the worst first, then the oldest. Inhibited ones come last. */
  open: reportChecks,
  /** The same problems counted by check: the worst first, then those on the most clients. Inhibited ones come last. */
  open_by_check: z.array(reportOpenCheck).exactOptional(),
  /** The numbers of open problems over time, in at most 288 periods. */
  open_over_time: openOverTime.exactOptional(),
  /** Checks whose problems ended, or that were removed: the longest outages first. Inhibited ones come last. */
  resolved: reportChecks,
  /**
   * Inhibited problems. `checks`: number of inhibited checks; `count`: number of inhibiting events; `causes`: these
   * events, those with the most inhibited checks first.
   */
  inhibited: z.object({ checks: z.number(), count: z.number(), causes: z.array(reportCause) }),
  /** The ten check names with the most outages, over all clients. */
  noisiest: z.array(reportNoise),
  /** Actions of people on events and silences, newest first. */
  actions: z.object({ count: z.number(), actions: z.array(reportAction) }),
  /** The steps of escalations that were notified, newest first; absent if there were none. */
  escalations: z.object({ count: z.number(), steps: z.array(reportEscalation) }).exactOptional(),
  /** Audit records that `actions` does not contain, newest first; null if the caller may not read audit records. */
  changes: z.object({ count: z.number(), changes: z.array(reportChange) }).nullable(),
});
export type Report = ResponseOf<typeof reportResponse>;
