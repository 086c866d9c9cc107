import { z } from 'zod';
import type { AuditHead, AuditRecord } from '../schemas/audit.ts';
import type { BulkAnswer, BulkOperation } from '../schemas/bulk.ts';
import type { CheckOfClient, ClientCheck } from '../schemas/check-summary.ts';
import type { BatchAnswer, StoredResult } from '../schemas/result.ts';
import type { Client, DeletedClients } from '../schemas/client.ts';
import type { DeadLetterSummary, HandlerStatus } from '../schemas/dead-letter.ts';
import type { Event } from '../schemas/event.ts';
import type { EventRow } from '../schemas/feed.ts';
import type { ListedClient } from '../schemas/listed-client.ts';
import type { DumpPage, RestoreAnswer } from '../schemas/restore.ts';
import { SCOPES } from '../schemas/scope.ts';
import type { StoreUpgradeStatus } from '../schemas/store-upgrade.ts';
import type { Overview } from '../schemas/overview.ts';
import type { RecentProblems } from '../schemas/silence-preview.ts';
import type { SilencePolicy } from '../schemas/silence-policy.ts';
import type { Versions } from '../schemas/versions.ts';
import { EXPIRE_NEVER } from '../domain/expiry.ts';
import type { SilencedDetail, SilencedView } from '../schemas/silenced.ts';

/*
 * What callers rely on in an answer, and no more: older services leave attributes out and newer ones add some, and
 * both are still good answers.
 */

const strings = z.array(z.string());
const check = z.looseObject({ name: z.string(), status: z.number(), output: z.string().nullish().transform(orEmpty) });

const client = z.looseObject({
  name: z.string(),
  address: z.string().nullish().transform(orEmpty),
  subscriptions: strings.nullish().transform((subscriptions) => subscriptions ?? []),
  timestamp: z.number().nullish().transform(orZero),
  version: z.string().nullish().transform(orEmpty),
});

const action = z.enum(['create', 'resolve', 'flapping']);

const event = z.looseObject({
  id: z.string(),
  client,
  check: check.extend({
    executed: z.number().nullish().transform(orZero),
    issued: z.number().nullish().transform(orZero),
    history: z
      .array(z.coerce.string())
      .nullish()
      .transform((history) => history ?? []),
    total_state_change: z.number().nullish().transform(orZero),
  }),
  occurrences: z.number(),
  occurrences_watermark: z.number().nullish().transform(orZero),
  last_ok: z.number().nullish().transform(orNull),
  action,
  timestamp: z.number(),
  last_state_change: z.number().nullish().transform(orNull),
  silenced: z.boolean().nullish().transform(Boolean),
  silenced_by: strings.nullish().transform((ids) => ids ?? []),
});

const result = z.looseObject({
  client: z.string(),
  check: check.extend({
    executed: z.number(),
    issued: z.number().nullish().transform(orZero),
    history: z
      .array(z.coerce.number())
      .nullish()
      .transform((history) => history ?? []),
  }),
});

const silenced = z.looseObject({
  id: z.string(),
  subscription: z.string().nullish().transform(orNull),
  check: z.string().nullish().transform(orNull),
  reason: z.string().nullish().transform(orNull),
  creator: z.string().nullish().transform(orNull),
  begin: z.number().nullish().transform(orNull),
  expire_on_resolve: z.boolean().nullish().transform(Boolean),
  timestamp: z.number().nullish().transform(orZero),
  expire: z.number(),
});

const silencedDetail = silenced.extend({
  expire_at: z.number().nullable(),
  suppressed: z.number(),
  last_suppressed: z.number().nullable(),
});

const batch = z.object({
  accepted: z.number(),
  rejected: z.array(z.object({ index: z.number(), error: z.string() })),
});

const checkDefinition = z.looseObject({
  name: z.string(),
  command: z.union([z.string(), z.array(z.string())]).nullish(),
  subscribers: strings.nullish(),
  interval: z.number().nullish(),
  cron: z.string().nullish(),
  /** Epoch seconds; null when the backend does not ask for it by the clock. */
  next_run: z.number().nullish().transform(orNull),
  /** Clients by the severity of their last result; older backends do not count them. */
  results: z.looseObject({ ok: z.number(), warning: z.number(), critical: z.number(), unknown: z.number() }).nullish(),
});

/** A check that the backend publishes, with its whole definition. */
export type DefinedCheck = z.infer<typeof checkDefinition>;

const clientHistory = z.looseObject({
  check: z.string(),
  history: z.array(z.coerce.number()),
  last_execution: z.number().nullish().transform(orNull),
  last_status: z.number().nullish().transform(orNull),
});

/** One check of a client: its last statuses, oldest first, and when it ran last (epoch seconds). */
export type ClientHistory = z.infer<typeof clientHistory>;

const aggregateSummary = z.looseObject({
  clients: z.number(),
  checks: z.number(),
  results: z.looseObject({
    ok: z.number(),
    warning: z.number(),
    critical: z.number(),
    unknown: z.number(),
    total: z.number(),
    stale: z.number().nullish().transform(orZero),
    silenced: z.number().nullish().transform(orZero),
    down: z.number().nullish().transform(orZero),
  }),
});

/** Members of an aggregate and its results by severity. */
export type AggregateSummary = z.infer<typeof aggregateSummary>;

const aggregateResults = z.looseObject({
  check: z.string(),
  summary: z.array(z.looseObject({ output: z.string(), total: z.number(), clients: strings })),
});

/** The different outputs of one check in an aggregate, with the clients that gave them. */
export type AggregateResults = z.infer<typeof aggregateResults>;

const deadLetter = z.looseObject({
  id: z.number(),
  handler: z.string(),
  client: z.string(),
  check: z.string(),
  queued_at: z.number(),
  failed_at: z.number(),
  attempts: z.number(),
  reason: z.string(),
});

/** A run of a handler that failed for good; times in epoch seconds. */
export type StoredDeadLetter = z.infer<typeof deadLetter>;

const handlerStatus = z.looseObject({
  name: z.string(),
  type: z.string().nullable(),
  queued: z.number(),
  running: z.number(),
  retrying: z.number(),
  delivered: z.number(),
  failed: z.number(),
  /** Dead letters that there are now; older backends do not count them here. */
  dead_letters: z.number().nullish().transform(orZero),
  last_error: z.looseObject({ at: z.number(), reason: z.string() }).nullable(),
  /** Seconds. */
  oldest_age: z.number().nullable(),
});

/** What a handler does and has before it, since the backend started. */
export type RunningHandlerStatus = z.infer<typeof handlerStatus>;

const content = z.record(z.string(), z.unknown());
const stash = z.looseObject({ path: z.string(), content, expire: z.number().nullish().transform(orNever) });

/** A stash; `expire` counts down, -1: never. */
export type StoredStash = z.infer<typeof stash>;

const queue = z.looseObject({ messages: z.number(), consumers: z.number() });
const server = z.looseObject({
  hostname: z.string().nullish().transform(orEmpty),
  address: z.string().nullish().transform(orEmpty),
  tasks: strings.nullish().transform((tasks) => tasks ?? []),
  timestamp: z.number().nullish().transform(orZero),
});

const info = z.looseObject({
  sensu: z.looseObject({ version: z.string() }),
  transport: z
    .looseObject({ connected: z.boolean(), keepalives: queue.optional(), results: queue.optional() })
    .optional(),
  redis: z.looseObject({ connected: z.boolean() }).optional(),
  servers: z.array(server).optional(),
  mon: z.looseObject({ version: z.string() }).optional(),
});

/** What `GET /info` says; `mon` is missing when the backend is not ours. */
export type BackendInfo = z.infer<typeof info>;

const versions = z.looseObject({
  backend: z.looseObject({
    version: z.string(),
    compatible: z.string(),
    core: z.string().default(''),
    node: z.string(),
  }),
  agents: z.array(z.looseObject({ version: z.string(), clients: z.number() })),
  store: z.looseObject({ id: z.string(), schema: z.number(), bytes: z.number().nullable() }),
  records: z.looseObject({
    clients: z.number(),
    results: z.number(),
    events: z.number(),
    silenced: z.number(),
    stashes: z.number(),
    audit: z.number(),
  }),
});

const renamed = z.looseObject({ moved: z.number() });

const lastResult = {
  status: z.number().nullable(),
  executed: z.number().nullable(),
  history: z.array(z.number()),
  output: z.string(),
};

const checkOfClient = z.looseObject({ client: z.string(), ...lastResult, silenced: z.boolean() });

const clientDetail = z.looseObject({
  client,
  checks: z.array(
    z.looseObject({
      name: z.string(),
      ...lastResult,
      interval: z.number().nullable(),
      event: z
        .looseObject({
          id: z.string(),
          action: z.string(),
          status: z.number(),
          occurrences: z.number(),
          silenced_by: strings,
        })
        .nullable(),
      next_run: z.number().nullable(),
    }) satisfies z.ZodType<ClientCheck>,
  ),
});

/** A client with all its checks. */
export type ClientDetail = z.infer<typeof clientDetail>;

const overview = z.looseObject({
  at: z.number(),
  noisiest: z.array(z.looseObject({ check: z.string(), events: z.number(), clients: z.number() })),
  results: z.looseObject({ period: z.number(), rates: z.array(z.number()) }),
  clients: z.looseObject({ registered: z.number(), stale: z.number(), gone: z.number() }),
  entities: z
    .object({ total: z.number(), proxies: z.number(), limit: z.union([z.number(), z.literal('unlimited')]) })
    .optional(),
  queue: z.looseObject({ results: z.number() }),
  store: z.looseObject({ write_p99_ms: z.number().nullable() }),
  api: z.looseObject({ answer_p99_ms: z.number().nullable() }),
  feed: z.looseObject({ consumers: z.number() }),
});

const silencePolicy = z.looseObject({
  reason: z.enum(['required', 'optional']),
  reason_pattern: z.string().nullable(),
  max_expire: z.number().nullable(),
  warn_matches: z.number(),
  apply_to_legacy: z.boolean(),
});

const bulk = z.looseObject({
  results: z.array(
    z.looseObject({
      ok: z.boolean(),
      error: z.enum(['not_found', 'changed', 'expired']).optional(),
      // Sent back as it came, without a look into it.
      undo: z.custom<BulkOperation>((value) => typeof value === 'object' && value !== null).optional(),
    }),
  ),
});

const verdict = z.looseObject({
  handler: z.string(),
  // Newer backends may know more of them.
  verdict: z.string(),
  reason: z.string(),
});

const explanation = z.looseObject({
  client: z.string(),
  check: z.string(),
  event: z
    .looseObject({ id: z.string(), status: z.number(), action, occurrences: z.number(), silenced_by: strings })
    .nullable(),
  reason: z.string(),
  handlers: z.array(
    verdict.extend({
      delivery: z
        .looseObject({ state: z.string(), at: z.number(), attempts: z.number(), reason: z.string().optional() })
        .nullable(),
    }),
  ),
});

// Loose, because the hash is of all attributes: also of those that a newer backend adds.
const auditRecord = z.looseObject({
  id: z.number(),
  at: z.number(),
  who: z.string(),
  on_behalf_of: z.string().exactOptional(),
  from: z.string().nullable(),
  how: z.string(),
  action: z.string(),
  target: z.string(),
  before: z.unknown(),
  after: z.unknown(),
  reason: z.string().nullable(),
  previous: z.string(),
  hash: z.string(),
});

const auditHead = z.looseObject({ first: z.number(), last: z.number(), hash: z.string(), at: z.number() });
/** Why the handlers of a check run or do not run for its event. */
export type EventExplanation = z.infer<typeof explanation>;

const simulation = z.looseObject({
  client: z.string(),
  check: z.string(),
  transition: z.string(),
  event: event.nullable(),
  reason: z.string(),
  handlers: z.array(verdict),
});

/** What a result would do. */
export type SimulatedResult = z.infer<typeof simulation>;

const eventRow = z.looseObject({
  namespace: z.string().exactOptional(),
  client: z.string(),
  check: z.string(),
  status: z.number(),
  action,
  occurrences: z.number(),
  since: z.number(),
  last: z.number(),
  silenced_by: strings,
  output: z.string(),
});

const listedClient = z.looseObject({
  namespace: z.string().exactOptional(),
  name: z.string(),
  address: z.string(),
  subscriptions: strings,
  timestamp: z.number(),
  version: z.string(),
  events: z.number(),
  last_result: z.number(),
});

const access = z.looseObject({
  name: z.string(),
  via: z.string(),
  scopes: z.array(z.enum(SCOPES)),
  namespace: z.string().nullable(),
  key: z.string().nullable(),
  expires_at: z.number().nullable(),
  routes: z.array(
    z.looseObject({
      method: z.string(),
      url: z.string(),
      access: z.union([z.string(), strings]),
      anonymous: z.boolean(),
    }),
  ),
});

const dumpPage = z.looseObject({ objects: z.array(content), continue: z.string().nullable() });

const restored = z.looseObject({
  results: z.array(
    z.looseObject({
      outcome: z.enum(['created', 'replaced', 'unchanged', 'left out']),
      reason: z.string().exactOptional(),
      lost: z.array(z.looseObject({ attribute: z.string(), reason: z.string() })).exactOptional(),
      warnings: strings.exactOptional(),
    }),
  ),
});

const step = { version: z.number(), name: z.string() };
const storeUpgrade = z.looseObject({
  schema: z.number(),
  newest: z.number(),
  pending: z.array(z.looseObject({ ...step, entries: z.number() })),
  obstacles: z.array(
    z.looseObject({ reason: z.string(), component: z.string(), message: z.string(), remedy: strings }),
  ),
  run: z.looseObject({
    state: z.enum(['none', 'running', 'done', 'failed']),
    progress: z.looseObject({ ...step, done: z.number(), total: z.number() }).optional(),
    backup: z.string().optional(),
    error: z.string().optional(),
  }),
});

export const answers = {
  eventRows: z.array(eventRow) satisfies z.ZodType<EventRow[]>,
  listedClients: z.array(listedClient) satisfies z.ZodType<ListedClient[]>,
  access,
  dumpPage: dumpPage satisfies z.ZodType<DumpPage>,
  restored: restored satisfies z.ZodType<RestoreAnswer>,
  storeUpgrade: storeUpgrade satisfies z.ZodType<StoreUpgradeStatus>,
  event: event satisfies z.ZodType<Event>,
  events: z.array(event) satisfies z.ZodType<Event[]>,
  result: result satisfies z.ZodType<StoredResult>,
  results: z.array(result) satisfies z.ZodType<StoredResult[]>,
  silenced: z.array(silenced) satisfies z.ZodType<SilencedView[]>,
  client: client satisfies z.ZodType<Client>,
  clients: z.array(client) satisfies z.ZodType<Client[]>,
  batch: batch satisfies z.ZodType<BatchAnswer>,
  issued: z.object({ issued: z.number() }),
  name: z.object({ name: z.string() }),
  page: z.looseObject({ total: z.number() }),
  deletedClients: z.object({ deleted: z.number(), more: z.boolean() }) satisfies z.ZodType<DeletedClients>,
  problems: z.array(z.string()),
  info,
  check: checkDefinition,
  checks: z.array(checkDefinition),
  clientHistories: z.array(clientHistory),
  named: z.array(z.looseObject({ name: z.string() })),
  aggregate: aggregateSummary,
  aggregateClients: z.array(z.looseObject({ name: z.string(), checks: strings })),
  aggregateChecks: z.array(z.looseObject({ name: z.string(), clients: strings })),
  aggregateResults: z.array(aggregateResults),
  stashes: z.array(stash),
  object: content,
  silencedOne: silenced,
  silencePolicy: silencePolicy satisfies z.ZodType<SilencePolicy>,
  bulk: bulk satisfies z.ZodType<BulkAnswer>,
  aggregateSummaries: z.array(aggregateSummary.extend({ name: z.string() })),
  checksOfClients: z.array(checkOfClient) satisfies z.ZodType<CheckOfClient[]>,
  clientDetail,
  overview: overview satisfies z.ZodType<Overview>,
  auditRecords: z.array(auditRecord) satisfies z.ZodType<AuditRecord[]>,
  auditHead: auditHead satisfies z.ZodType<AuditHead>,
  versions: versions satisfies z.ZodType<Versions>,
  silencedDetails: z.array(silencedDetail) satisfies z.ZodType<SilencedDetail[]>,
  silencedDetail,
  recentProblems: z.looseObject({ recovered: z.number(), since: z.number() }) satisfies z.ZodType<RecentProblems>,
  handlers: z.array(handlerStatus) satisfies z.ZodType<HandlerStatus[]>,
  deadLetters: z.array(deadLetter) satisfies z.ZodType<DeadLetterSummary[]>,
  deadLetter: deadLetter.extend({ event: content }),
  retried: z.object({ retried: z.number() }),
  dropped: z.object({ dropped: z.number() }),
  renamed,
  explanation,
  simulation,
};

function orEmpty(text: string | null | undefined): string {
  return text ?? '';
}

function orZero(value: number | null | undefined): number {
  return value ?? 0;
}

function orNever(expire: number | null | undefined): number {
  return expire ?? EXPIRE_NEVER;
}

function orNull<Value>(value: Value | null | undefined): Value | null {
  return value ?? null;
}
