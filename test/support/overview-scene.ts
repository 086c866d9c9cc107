import type { AuditRecord } from '../../shared/schemas/audit.ts';
import type { Overview } from '../../shared/schemas/overview.ts';
import type { Versions } from '../../shared/schemas/versions.ts';
import type { ConsoleRig, RigOptions } from './console-rig.ts';
import { openOverTime, SCENE_REPORT } from './timeline-scene.ts';
import { openScene } from './console-scene.ts';
import { FEED_HELLO } from './feed-server.ts';

const MINUTE_MS = 60_000;

/** Rates of results in a period in which they rose and fell again. */
const RATES = Array.from({ length: 90 }, (_, index) => 1200 + Math.round(4000 * Math.sin((index / 90) * Math.PI) ** 2));

const SCENE_OVERVIEW: Overview = {
  at: FEED_HELLO.time / 1000,
  noisiest: [
    { check: 'http-frontend', events: 41_220, clients: 312 },
    { check: 'queue-depth', events: 9113, clients: 12 },
    { check: 'disk-root', events: 2204, clients: 201 },
  ],
  results: { period: 10, rates: RATES },
  clients: { registered: 20_000, stale: 14, lost: 3 },
  queue: { results: 3 },
  store: { write_p99_ms: 12.4 },
  api: { response_p99_ms: 4.1 },
  feed: { consumers: 6 },
};

export const SCENE_AUDIT: readonly AuditRecord[] = [
  record(3, 1, 'alice', 'silence.create', 'client:db-008.eu-west-1:postgres-repl', 'planned failover CHG-4398'),
  record(2, 9, 'bob', 'event.resolve', 'web-044.eu-west-1/load', null),
  record(1, 1500, 'carol', 'client.delete', 'web-099.eu-west-1', 'decommissioned'),
];

export const SCENE_VERSIONS: Versions = {
  backend: { version: '1.0.0', core: '6.5.0', compatible: '1.9.0', node: '24.1.0' },
  agents: [
    { version: '1.0.0', clients: 19_950 },
    { version: '0.9.2', clients: 46 },
    { version: '', clients: 4 },
  ],
  store: { id: 'b9a3c1de-3a52-4c5e-9d51-0c1f1a2b3c4d', schema: 1, bytes: 734_003_200 },
  records: { clients: 20_000, results: 99_421, events: 12, silenced: 1, stashes: 2, audit: 3 },
};

const SCENE_AGGREGATES = [
  aggregate('web-frontend', 81),
  aggregate('orders-db', 67),
  aggregate('mail', 40),
  aggregate('cache', 93),
];

/** A busy handler, a handler with failures and dead letters, and a healthy handler. */
const SCENE_HANDLERS = [
  handler('mail', { delivered: 9120 }),
  handler('pagerduty', { queued: 12, running: 2, retrying: 3, delivered: 411, failed: 5, dead_letters: 3 }),
  handler('slack-data', { queued: 1204, running: 10, delivered: 58_000 }),
];

/** API responses of this scene, by path. */
const ANSWERS: Readonly<Record<string, unknown>> = {
  '/api/mon/v1/overview': SCENE_OVERVIEW,
  '/api/mon/v1/versions': SCENE_VERSIONS,
  '/api/mon/v1/aggregates': SCENE_AGGREGATES,
  '/api/mon/v1/handlers': SCENE_HANDLERS,
  '/health': { problems: [] },
  '/api/mon/v1/report': {
    ...SCENE_REPORT,
    since: FEED_HELLO.time - 24 * 60 * MINUTE_MS,
    open_over_time: openOverTime(300),
  },
};

export const overviewApi: NonNullable<RigOptions['api']> = ({ path }) => {
  const [name = '', query = ''] = path.split('?');
  if (name === '/api/mon/v1/audit') return { status: 200, body: auditAfter(new URLSearchParams(query).get('after')) };
  return name in ANSWERS ? { status: 200, body: ANSWERS[name] } : { status: 404 };
};

/** Opens the console with the events of the common scene, and with the API responses of the overview. */
export function openOverviewScene(options: RigOptions = {}): Promise<ConsoleRig> {
  return openScene({ api: overviewApi, ...options });
}

function auditAfter(after: string | null): readonly AuditRecord[] {
  return SCENE_AUDIT.filter(({ id }) => id > Number(after ?? 0));
}

function record(
  id: number,
  minutesAgo: number,
  who: string,
  action: string,
  target: string,
  reason: string | null,
): AuditRecord {
  return {
    id,
    at: FEED_HELLO.time - minutesAgo * MINUTE_MS,
    who,
    from: '192.0.2.7',
    how: 'POST /api/mon/v1/bulk',
    action,
    target,
    before: null,
    after: { check: 'postgres-repl', expire: 3600 },
    reason,
    previous: id === 1 ? '' : `hash-${String(id - 1)}`,
    hash: `hash-${String(id)}`,
  };
}

function handler(name: string, figures: Readonly<Record<string, number>>): unknown {
  const none = { queued: 0, running: 0, retrying: 0, delivered: 0, failed: 0, dead_letters: 0 };
  return { name, type: 'pipe', ...none, ...figures, last_error: null, oldest_age: null };
}

function aggregate(name: string, ok: number): unknown {
  return {
    name,
    clients: 100,
    checks: 1,
    results: { ok, warning: 0, critical: 100 - ok, unknown: 0, total: 100, stale: 0, silenced: 0, down: 0 },
  };
}
