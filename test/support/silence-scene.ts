import type { AuditRecord } from '../../shared/schemas/audit.ts';
import type { EventRow, FeedRows, SilencedRow } from '../../shared/schemas/feed.ts';
import type { SilencedDetail } from '../../shared/schemas/silenced.ts';
import type { RigOptions } from './console-rig.ts';
import { byKey } from './console-rig.ts';
import { SCENE, SCENE_EVENTS } from './console-scene.ts';
import { FEED_HELLO } from './feed-server.ts';
import { aSilencedRow } from './feed-rows.ts';
import { silencePolicy } from './silence-policy.ts';

const NOW = FEED_HELLO.time / 1000;
const MINUTE = 60;
const HOUR = 60 * MINUTE;

const CERTIFICATES: SilencedRow = entry(null, 'cert-expiry', {
  creator: 'dave',
  reason: 'renewal runs on Friday',
  expire_at: NOW + 96 * HOUR,
});

const WEB_DISKS: SilencedRow = entry('web', 'disk-root', {
  creator: 'carol',
  reason: 'CHG-4410 logs are being moved',
  expire_at: NOW + 12 * MINUTE,
  expire_on_resolve: true,
});

/** Attributes of a silence that has matched no event for nine days. */
const LONG_IDLE = { idle: { since: NOW - 9 * 24 * HOUR, at: NOW - 2 * 24 * HOUR } };

const ALL: readonly SilencedRow[] = [
  ...Object.values(SCENE.silenced ?? {}).flatMap((row) => row ?? []),
  CERTIFICATES,
  WEB_DISKS,
  entry('client:mq-002.eu-west-1', null, {
    creator: 'alice@ops',
    reason: 'CHG-4420',
    begin: NOW + 2 * HOUR,
    expire_at: NOW + 4 * HOUR,
  }),
  entry('client:gone-001', null, { creator: 'alice@ops', reason: 'being dismantled', expire_at: null, ...LONG_IDLE }),
];

/** A recurring silence that is not part of the scene. */
export const WEEKLY: SilencedRow = entry('client:web-001.eu-west-1', null, {
  creator: 'bob',
  reason: 'CHG-4400 backup',
  begin: Date.UTC(2026, 10, 21, 1) / 1000,
  expire_at: Date.UTC(2026, 10, 21, 3) / 1000,
  recurrence: { schedule: 'sat,sun 02:00', zone: 'Europe/Berlin', duration: 7200, last_day: '2027-03-28' },
});

/** The common scene, with silences in each state. */
export const SILENCE_SCENE: FeedRows = {
  ...SCENE,
  events: byKey(SCENE_EVENTS.map(silencedAsTheBackendSays)),
  silenced: Object.fromEntries(ALL.map((row) => [row.id, row])),
};

/** An audit record of a silence that was cleared an hour ago. */
const ENDED: AuditRecord = {
  id: 7,
  at: FEED_HELLO.time - HOUR * 1000,
  action: 'silence.clear',
  target: 'client:ntp-001.eu-west-1:ntp-drift',
  who: 'bob',
  from: '192.0.2.9',
  how: 'POST /silenced/clear',
  before: {
    ...entry('client:ntp-001.eu-west-1', 'ntp-drift', { creator: 'bob', reason: 'GPS antenna replaced' }),
    expire_at: FEED_HELLO.time / 1000 + HOUR,
  },
  after: null,
  reason: null,
  previous: '',
  hash: 'abc',
};

/** Responds to API requests like the backend of this scene. */
export const silenceApi: NonNullable<RigOptions['api']> = ({ path, body }) => {
  if (path === '/api/mon/v1/silence-policy') {
    return { status: 200, body: silencePolicy({ reason_pattern: 'CHG-*', max_expire: 8 * HOUR, warn_matches: 5 }) };
  }
  if (path === '/api/mon/v1/silenced/preview') {
    const found = { total: 4, critical: 3, warning: 1, unknown: 0, ok: 0, silenced: 0, first: [] };
    const events = JSON.stringify(body).includes('"selector"') ? { events: found } : {};
    return { status: 200, body: { recovered: 5, since: NOW - 24 * HOUR, ...events } };
  }
  if (path === '/api/mon/v1/silenced') return { status: 200, body: ALL.map(withKept) };
  return path.startsWith('/api/mon/v1/audit') ? { status: 200, body: [ENDED] } : { status: 404 };
};

/** Returns the details of a silence; the first two silences have suppressed notifications. */
function withKept(row: SilencedRow, index: number): SilencedDetail {
  const suppressed = [1204, 12][index] ?? 0;
  return { ...row, expire: -1, suppressed, last_suppressed: suppressed === 0 ? null : NOW - MINUTE };
}

function entry(subscription: string | null, check: string | null, about: Partial<SilencedRow>): SilencedRow {
  return aSilencedRow({
    id: `${subscription ?? '*'}:${check ?? '*'}`,
    subscription,
    check,
    timestamp: NOW - 20 * MINUTE,
    ...about,
  });
}

function silencedAsTheBackendSays(row: EventRow): EventRow {
  const ids = [
    ...(row.check === 'cert-expiry' ? [CERTIFICATES.id] : []),
    ...(row.check === 'disk-root' ? [WEB_DISKS.id] : []),
  ];
  return ids.length === 0 ? row : { ...row, silenced_by: [...row.silenced_by, ...ids] };
}
