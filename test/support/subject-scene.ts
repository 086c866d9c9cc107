import type { RigOptions } from './console-rig.ts';
import { FEED_HELLO } from './feed-server.ts';

const NOW = FEED_HELLO.time / 1000;

/** Status history with ten OK results, two warnings, and then only critical results. */
const FAILING = [...Array.from({ length: 10 }, () => 0), 1, 1, ...Array.from({ length: 9 }, () => 2)];
const FINE = Array.from({ length: 21 }, () => 0);

const CHECKS = [
  {
    name: 'postgres-repl',
    interval: 30,
    subscribers: ['db'],
    command: 'check-postgres-replication -w 30 -c 60',
    next_run: NOW + 12,
    results: { ok: 112, warning: 0, critical: 2, unknown: 0 },
  },
  {
    name: 'http-frontend',
    interval: 10,
    subscribers: ['web'],
    command: 'check-http -u /health',
    next_run: NOW + 3,
    results: { ok: 1081, warning: 0, critical: 14, unknown: 0 },
  },
  { name: 'disk-root', interval: 60, subscribers: ['linux'], command: 'check-disk /', next_run: NOW + 41 },
  { name: 'backup', cron: '0 3 * * *', subscribers: ['db', 'files'], command: 'check-backup', next_run: NOW + 54_000 },
  { name: 'restore-drill', publish: false, subscribers: ['db'], command: 'check-restore', next_run: null },
];

const DB_014 = {
  client: {
    name: 'db-014.eu-west-1',
    address: '192.0.2.1',
    subscriptions: ['linux', 'db', 'client:db-014.eu-west-1'],
    timestamp: NOW - 5,
    version: '1.0.0',
    environment: 'production',
    team: 'data',
    keepalive: { thresholds: { warning: 40, critical: 90 } },
    socket: { password: 'REDACTED' },
  },
  checks: [
    check('cpu', 0, FINE, 'load 0.4', 7),
    check('disk-root', 0, FINE, '/ 41% used, 30.2 GiB free', 41),
    {
      ...check('postgres-repl', 2, FAILING, 'lag 184 s > 60 s, wal sender not streaming', 12),
      event: { id: '4b2e7a52', action: 'create', status: 2, occurrences: 41, silenced_by: [] },
    },
    {
      ...check(
        'ntp-drift',
        1,
        FAILING.map((status) => Math.min(1, status)),
        'offset 212 ms > 100 ms',
        20,
      ),
      event: { id: '4b2e7a53', action: 'create', status: 1, occurrences: 4, silenced_by: ['client:db-014.eu-west-1'] },
    },
    { ...check('batch-import', 3, [...FINE, 3], 'plugin exit 3: \u001B[2Jno answer', 0), next_run: null },
  ],
};

const POSTGRES_RESULTS = [
  { ...last(2, FAILING, 'lag 184 s > 60 s, wal sender not streaming'), client: 'db-014.eu-west-1', silenced: false },
  { ...last(2, FAILING, 'lag 9,120 s > 60 s'), client: 'db-008.eu-west-1', silenced: true },
  { ...last(0, FINE, 'lag 0 s'), client: 'db-001.eu-west-1', silenced: false },
  { ...last(0, FINE, 'lag 1 s'), client: 'db-002.eu-west-1', silenced: false },
];

const AGGREGATES = [
  aggregate('web-frontend', { ok: 81, warning: 4, critical: 14, unknown: 1, silenced: 3, down: 2 }),
  aggregate('orders-db', { ok: 2, warning: 0, critical: 1, unknown: 0, silenced: 0, down: 0 }),
  aggregate('cache', { ok: 93, warning: 7, critical: 0, unknown: 0, silenced: 0, down: 0 }),
  aggregate('edge', { ok: 4000, warning: 0, critical: 0, unknown: 0, silenced: 0, down: 0 }),
];

const OUTPUTS: Readonly<Record<string, unknown>> = {
  critical: [
    {
      check: 'http-frontend',
      summary: [
        {
          output: 'connect timeout after 10 s',
          total: 3,
          clients: ['web-003.eu-west-1', 'web-007.eu-west-1', 'web-011.eu-west-1'],
        },
        { output: 'HTTP 502', total: 11, clients: Array.from({ length: 11 }, (_, index) => `web-1${two(index)}`) },
      ],
    },
  ],
  warning: [{ check: 'tls', summary: [{ output: 'expires in 12 d', total: 4, clients: ['web-020', 'web-021'] }] }],
  unknown: [{ check: 'tls', summary: [{ output: 'no answer', total: 1, clients: ['web-044'] }] }],
  ok: [{ check: 'http-frontend', summary: [{ output: 'HTTP 200', total: 81, clients: ['web-050', 'web-051'] }] }],
};

const RESULT = {
  client: 'db-014.eu-west-1',
  check: {
    ...last(0, FINE, '/ 41% used, 30.2 GiB free\n/var 12% used'),
    name: 'disk-root',
    issued: NOW - 3,
  },
};

/** API responses about the clients, checks and aggregates of this scene. */
export const subjectApi: NonNullable<RigOptions['api']> = ({ method, path }) => {
  if (method !== 'GET') return { status: 202, body: { issued: NOW } };
  const known = CHECKS.find(({ name }) => path === `/api/mon/v1/checks/${name}`);
  if (known !== undefined) return { status: 200, body: known };
  if (path === '/api/mon/v1/checks') return { status: 200, body: CHECKS };
  if (path.startsWith('/api/mon/v1/checks/postgres-repl/results')) return { status: 200, body: POSTGRES_RESULTS };
  if (path === '/api/mon/v1/clients/db-014.eu-west-1') return { status: 200, body: DB_014 };
  if (path === '/api/mon/v1/aggregates') return { status: 200, body: AGGREGATES };
  if (path === '/aggregates/web-frontend') return { status: 200, body: AGGREGATES[0] };
  const severity = path.replace('/aggregates/web-frontend/results/', '');
  if (severity in OUTPUTS) return { status: 200, body: OUTPUTS[severity] };
  if (path === '/results/db-014.eu-west-1/disk-root') return { status: 200, body: RESULT };
  return { status: 404 };
};

function last(status: number, history: readonly number[], output: string) {
  return { status, executed: NOW - 3, history, output };
}

function check(name: string, status: number, history: readonly number[], output: string, nextIn: number) {
  return { name, ...last(status, history, output), interval: 30, event: null, next_run: NOW + nextIn };
}

function aggregate(
  name: string,
  counts: Readonly<Record<'ok' | 'warning' | 'critical' | 'unknown' | 'silenced' | 'down', number>>,
) {
  const total = counts.ok + counts.warning + counts.critical + counts.unknown;
  return { name, clients: total, checks: 2, results: { ...counts, total, stale: 0 } };
}

function two(index: number): string {
  return String(index).padStart(2, '0');
}
