import { z } from 'zod';
import { nameSchema } from './name.ts';
import { BATCH_MAX } from './result.ts';

const labelNameSchema = z.string().min(1).max(255);

/** The `alerts` section of a configuration: the meaning of alert labels (prometheus 1.2 and 1.3). */
export const alertSettingsSchema = z.strictObject({
  client: z
    .array(labelNameSchema)
    .max(20)
    .default(['client', 'instance', 'host', 'hostname', 'node'])
    .describe('Alert labels that can contain the client name. The first one that an alert has is used.'),
  'default-client': nameSchema
    .default('prometheus')
    .describe('Client name for alerts that have none of the labels in `client`.'),
  check: labelNameSchema.default('alertname').describe('Alert label that contains the check name.'),
  severity: labelNameSchema
    .default('severity')
    .describe('Alert label that contains the severity. Alerts without this label get the status 2 (critical).'),
  statuses: z
    .record(z.string().max(255), z.int().min(0).max(255))
    .default({ critical: 2, error: 2, page: 2, warning: 1, info: 1, none: 0 })
    .describe(
      'Map from severities (in lower case) to check statuses. A severity that is not listed gets the status 3 (unknown).',
    ),
  ignore: z
    .array(labelNameSchema)
    .max(100)
    .default([])
    .describe(
      'Labels to ignore when alerts are compared, such as the label `replica` that redundant Prometheus servers set.',
    ),
  'resolve-timeout': z
    .int()
    .min(1)
    .max(86_400)
    .default(300)
    .describe('Seconds after which an alert without an end time is resolved, unless the alert is sent again.'),
  watchdogs: z
    .record(z.string().min(1).max(255), z.int().min(1).max(604_800))
    .refine((watchdogs) => Object.keys(watchdogs).length <= 100, 'must be at most 100')
    .default({})
    .describe(
      'Alerts that must always fire, as a map from check name to seconds. The check becomes critical if its alert resolves or is missing for that many seconds.',
    ),
  handlers: z
    .array(nameSchema)
    .max(100)
    .default([])
    .describe('Handlers for all Prometheus alerts. Empty: the handler `default`.'),
});

export type AlertSettings = z.infer<typeof alertSettingsSchema>;

/** Labels or annotations of an alert, by name. */
export type LabelSet = Readonly<Record<string, string>>;

const LABELS_MAX = 200;

/**
 * Returns the schema of labels or annotations. Values that are too long are not rejected but cut later, so that the
 * alert is not lost.
 */
function labelSet() {
  return z
    .record(z.string().min(1).max(255), z.string())
    .refine((labels) => Object.keys(labels).length <= LABELS_MAX, `must be at most ${String(LABELS_MAX)}`);
}

/**
 * A time, converted to epoch milliseconds. A time before 1970 becomes undefined: programs in Go send the year 1 for an
 * unset time.
 */
const momentSchema = z.iso
  .datetime({ offset: true, error: 'must be a time like 2026-01-31T12:00:00Z' })
  .transform((text) => {
    const ms = Date.parse(text);
    return ms > 0 ? ms : undefined;
  });

/** An alert as Prometheus sends it (prometheus 1.1). */
export const postedAlertSchema = z.looseObject({
  labels: labelSet(),
  annotations: labelSet().nullish(),
  startsAt: momentSchema.nullish(),
  endsAt: momentSchema.nullish(),
  generatorURL: z.string().nullish(),
});
export type PostedAlert = z.output<typeof postedAlertSchema>;

/** The body of `POST /api/v2/alerts`. */
export const postedAlertsSchema = z.array(postedAlertSchema).max(BATCH_MAX);

const isoTimeSchema = z.iso.datetime();
const receiverResponse = z.looseObject({ name: z.string() });

/** An alert in the format of the Alertmanager API. */
export const alertResponse = z.looseObject({
  labels: z.record(z.string(), z.string()),
  annotations: z.record(z.string(), z.string()),
  startsAt: isoTimeSchema,
  endsAt: isoTimeSchema,
  updatedAt: isoTimeSchema,
  fingerprint: z.string(),
  generatorURL: z.string().optional(),
  receivers: z.array(receiverResponse),
  status: z.looseObject({
    state: z.enum(['active', 'suppressed', 'unprocessed']),
    silencedBy: z.array(z.string()),
    inhibitedBy: z.array(z.string()),
  }),
});
export type ShownAlert = z.infer<typeof alertResponse>;

/** A group of alerts with equal values of the grouping labels, in the format of the Alertmanager API. */
export const alertGroupResponse = z.looseObject({
  labels: z.record(z.string(), z.string()),
  receiver: receiverResponse,
  alerts: z.array(alertResponse),
});

export const receiversResponse = z.array(receiverResponse);

/** The status of this backend in the format of the Alertmanager API. */
export const alertmanagerStatusResponse = z.looseObject({
  cluster: z.looseObject({
    name: z.string(),
    status: z.enum(['ready', 'settling', 'disabled']),
    peers: z.array(z.looseObject({ name: z.string(), address: z.string() })),
  }),
  config: z.looseObject({ original: z.string() }),
  uptime: isoTimeSchema,
  versionInfo: z.looseObject({
    branch: z.string(),
    buildDate: z.string(),
    buildUser: z.string(),
    goVersion: z.string(),
    revision: z.string(),
    version: z.string(),
  }),
});

const matcherSchema = z.object({
  name: z.string().min(1).max(255),
  value: z.string().max(4096),
  isRegex: z.boolean(),
  /** True for `=` and `=~`, false for `!=` and `!~`. Default: true, for older clients that do not send it. */
  isEqual: z.boolean().default(true),
});

/** The body of `POST /api/v2/silences`: a new silence, or one that replaces the silence with this id. */
export const postedSilenceSchema = z.looseObject({
  id: z.string().max(255).nullish(),
  matchers: z.array(matcherSchema).min(1).max(100),
  startsAt: momentSchema,
  endsAt: momentSchema,
  createdBy: z.string().max(255),
  comment: z.string().max(10_000),
});
export type PostedSilence = z.output<typeof postedSilenceSchema>;

/** A silence in the format of the Alertmanager API. */
export const silenceResponse = z.looseObject({
  id: z.string(),
  matchers: z.array(matcherSchema),
  startsAt: isoTimeSchema,
  endsAt: isoTimeSchema,
  updatedAt: isoTimeSchema,
  createdBy: z.string(),
  comment: z.string(),
  status: z.looseObject({ state: z.enum(['active', 'pending', 'expired']) }),
});
export type ShownSilence = z.infer<typeof silenceResponse>;

/** The response of the Alertmanager API to a created or replaced silence. */
export const madeSilenceResponse = z.object({ silenceID: z.string() });
