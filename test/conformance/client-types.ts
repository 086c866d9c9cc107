import { z } from 'zod';

/** Schemas of the JSON that existing clients decode; each is as strict as the strictest client (clients 1 to 3). */

const name = z.string().min(1);
const names = z.array(z.string());
const epoch = z.int().positive();
/** Makes an attribute optional: if it is present, it must have this type. */
const optional = <T extends z.ZodType>(type: T): z.ZodOptional<T> => type.optional();

/**
 * Attributes of a check that the exporter decodes into a Go struct. One wrong type would reset the whole struct to zero
 * values.
 */
const resultCheck = {
  name,
  output: z.string(),
  status: z.int(),
  issued: epoch,
  executed: epoch,
  interval: optional(z.int()),
  duration: optional(z.number()),
  subscribers: optional(names),
};

/** The history of a check: results contain integers, events contain strings (clients 1.10). */
const integerHistory = z.array(z.int()).min(1).max(21);
const stringHistory = z.array(z.string().regex(/^\d+$/)).min(1).max(21);

export const clientType = z.looseObject({
  name,
  address: z.string(),
  subscriptions: names.min(1),
  timestamp: epoch,
  version: z.string(),
});

export const eventType = z.looseObject({
  id: z.uuid(),
  client: clientType,
  check: z.looseObject({
    ...resultCheck,
    history: stringHistory,
    total_state_change: z.int(),
    source: optional(name),
    ttl: optional(z.int()),
    standalone: optional(z.boolean()),
  }),
  occurrences: z.int().positive(),
  occurrences_watermark: z.int().positive(),
  action: z.enum(['create', 'resolve', 'flapping']),
  timestamp: epoch,
  last_state_change: epoch,
  last_ok: epoch.nullable(),
  silenced: z.boolean(),
  silenced_by: names,
});

export const resultType = z.looseObject({
  client: name,
  check: z.looseObject({ ...resultCheck, history: integerHistory }),
});

export const historyType = z.looseObject({
  check: name,
  history: integerHistory,
  last_execution: epoch,
  last_status: z.int(),
  last_result: z.looseObject({ name, output: z.string() }),
});

export const checkType = z.looseObject({
  name,
  command: z.string(),
  interval: optional(z.int().positive()),
  subscribers: names.min(1),
});

/** Schema of a silence. Every key is present, whatever the silence contains (clients 1.12). */
export const silencedType = z.strictObject({
  id: z.string().regex(/^(?:\*|[\w.\-:]+):(?:\*|[\w.-]+)$/),
  subscription: z.string().nullable(),
  check: z.string().nullable(),
  reason: z.string().nullable(),
  creator: z.string().nullable(),
  begin: epoch.nullable(),
  expire_on_resolve: z.boolean(),
  timestamp: epoch,
  expire: z.int().min(-1),
});

export const stashType = z.strictObject({
  path: z.string(),
  content: z.looseObject({}),
  expire: z.int().min(-1),
});

export const nameOnlyType = z.strictObject({ name });

const count = z.int().min(0);
export const summaryType = z.looseObject({
  clients: count,
  checks: count,
  results: z.looseObject({ ok: count, warning: count, critical: count, unknown: count, total: count, stale: count }),
});
export const aggregateClientType = z.strictObject({ name, checks: names.min(1) });
export const aggregateCheckType = z.strictObject({ name, clients: names.min(1) });
export const aggregateResultsType = z.strictObject({
  check: name,
  summary: z.array(z.strictObject({ output: z.string(), total: z.int().positive(), clients: names.min(1) })).min(1),
});

const queueType = z.looseObject({ messages: count.nullable(), consumers: count.nullable() });
export const infoType = z.looseObject({
  sensu: z.looseObject({ version: z.string().regex(/^1\.\d+\.\d+$/), settings: z.record(z.string(), z.string()) }),
  redis: z.looseObject({ connected: z.literal(true) }),
  transport: z.looseObject({ connected: z.literal(true), keepalives: queueType, results: queueType }),
  servers: z
    .array(
      z.looseObject({
        id: z.string(),
        hostname: z.string(),
        address: z.string(),
        is_leader: optional(z.boolean()),
        // A map of maps: one level more or less makes the client reject the whole response (clients 1.7).
        metrics: z.record(z.string(), z.record(z.string(), z.number().nullable())),
        sensu: optional(z.looseObject({})),
        tasks: names.nullable(),
        timestamp: epoch,
      }),
    )
    .nullable(),
});

export const issuedType = z.strictObject({ issued: epoch });

export const paginationType = z.strictObject({ limit: count, offset: count, total: count });
