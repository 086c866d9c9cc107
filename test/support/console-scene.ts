import type { ClientRow, EventRow, FeedRows, FeedStats, SilencedRow } from '../../shared/schemas/feed.ts';
import { byKey, openRig, type ConsoleRig, type RigOptions } from './console-rig.ts';
import { FEED_HELLO } from './feed-server.ts';
import { aClientRow, anEventRow, aSilencedRow } from './feed-rows.ts';

const NOW = FEED_HELLO.time / 1000;
const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const SILENCE_ID = 'client:db-008.eu-west-1:postgres-repl';

/** The events that all golden screens show: a morning with some problems. */
export const SCENE_EVENTS: readonly EventRow[] = [
  event('db-014', 'postgres-repl', 2, 3 * MINUTE, 41, 'lag 184 s > 60 s, wal sender not streaming'),
  event('web-003', 'http-frontend', 2, 4 * MINUTE, 7, 'connect timeout after 10 s'),
  event('web-007', 'http-frontend', 2, 4 * MINUTE, 7, 'connect timeout after 10 s'),
  event('web-011', 'http-frontend', 2, 4 * MINUTE + 5, 6, 'connect timeout after 10 s'),
  event('mq-002', 'queue-depth', 2, 2 * HOUR, 118, 'depth 91,204 > 50,000 (orders.retry)'),
  { ...event('cache-009', 'redis-ping', 2, 2 * HOUR + 60, 3, 'connection refused'), action: 'flapping' },
  event('web-020', 'disk-root', 1, 12 * MINUTE, 12, '/ 91% used, 4.1 GiB free'),
  event('web-021', 'disk-root', 1, 12 * MINUTE, 12, '/ 90% used, 4.4 GiB free'),
  event('ntp-001', 'ntp-drift', 1, 31 * MINUTE, 4, 'offset 212 ms > 100 ms'),
  event('db-002', 'cert-expiry', 1, 3 * DAY, 288, 'certificate expires in 12 d'),
  event('gw-004', 'bgp-sessions', 3, 40, 2, 'plugin exit 3: snmp no response'),
  { ...event('db-008', 'postgres-repl', 2, DAY, 902, 'lag 9,120 s > 60 s'), silenced_by: [SILENCE_ID] },
];

const SCENE_SILENCE: SilencedRow = aSilencedRow({
  id: SILENCE_ID,
  subscription: 'client:db-008.eu-west-1',
  check: 'postgres-repl',
  creator: 'bob',
  reason: 'planned failover CHG-4398',
  expire_at: NOW + 41 * MINUTE,
});

export const SCENE: FeedRows = {
  events: byKey(SCENE_EVENTS),
  silenced: { [SILENCE_ID]: SCENE_SILENCE },
  clients: Object.fromEntries(SCENE_EVENTS.map((row): [string, ClientRow] => [row.client, clientOf(row.client)])),
};

export const SCENE_STATS: FeedStats = {
  results: { ok: 99_409, warning: 4, critical: 7, unknown: 1 },
  clients: 20_000,
  rate: 4812,
  queue: 3,
};

/** Opens the console with the events and statistics of the scene. */
export async function openScene(options: RigOptions): Promise<ConsoleRig> {
  const rig = await openRig({ snapshot: SCENE, ...options });
  await rig.stats(SCENE_STATS);
  await rig.shows(/99,409|4,812/);
  return rig;
}

function event(
  host: string,
  check: string,
  status: number,
  age: number,
  occurrences: number,
  output: string,
): EventRow {
  return anEventRow({
    client: `${host}.eu-west-1`,
    check,
    status,
    since: NOW - age,
    last: NOW - 2,
    occurrences,
    output,
  });
}

function clientOf(name: string): ClientRow {
  const role = /^[a-z]+/.exec(name)?.[0] ?? 'linux';
  return aClientRow({ name, subscriptions: ['linux', role, `client:${name}`] });
}
