import '../../../tui/actions/all.ts';
import { describe, expect, test } from 'vitest';
import { ShortHeader, TallHeader, type HeaderProps } from '../../../tui/screens/header.tsx';
import { INITIAL_FEED_STATUS, type FeedStatus } from '../../../tui/model/feed-status.ts';
import { frameOf } from '../../support/frame-of.tsx';

const NOW_MS = Date.UTC(2026, 10, 20, 22, 14, 7);

const LIVE: FeedStatus = {
  ...INITIAL_FEED_STATUS,
  connection: { kind: 'live' },
  hasBeenLive: true,
  lastFrameAtMs: NOW_MS,
  backendName: 'ops-eu',
  backendVersion: '1.0.0',
  stats: { results: { ok: 61_204, warning: 3, critical: 41, unknown: 0 }, clients: 812, rate: 4812, queue: 0 },
  rates: [0, 10, 20, 40],
};

const LOST: FeedStatus = {
  ...LIVE,
  connection: { kind: 'waiting', attempt: 3, retryAtMs: NOW_MS + 3400, reason: 'connection refused' },
  lostAtMs: NOW_MS - 41_000,
  lastFrameAtMs: NOW_MS - 42_000,
};

const PROPS: HeaderProps = {
  theme: { color: false, ascii: false },
  columns: 100,
  feed: LIVE,
  counts: { critical: 41, warning: 3, unknown: 0, ok: 0, silenced: 1234, flapping: 2, inhibited: 0, acknowledged: 0 },
  paused: undefined,
  past: undefined,
  travel: undefined,
  readOnly: false,
  backend: 'http://127.0.0.1:4567',
  creator: 'alice@ops',
  nowMs: NOW_MS,
  view: 'events',
};

function tall(about: Partial<HeaderProps> = {}): string[] {
  return frameOf(<TallHeader {...PROPS} {...about} />, { columns: 100, rows: 4 }).split('\n');
}

function short(about: Partial<HeaderProps> = {}): string {
  return frameOf(<ShortHeader {...PROPS} {...about} />, { columns: about.columns ?? 100, rows: 1 });
}

function nearLimit(total: number): FeedStatus {
  if (LIVE.stats === undefined) throw new Error('it has figures');
  return { ...LIVE, stats: { ...LIVE.stats, entities: { total, proxies: 10, limit: 100 } } };
}

describe('the warning of the entity limit', () => {
  test('the warning of the entity limit is shown on the line below the tall header', () => {
    const wide = frameOf(<TallHeader {...PROPS} feed={nearLimit(95)} columns={120} />, { columns: 120, rows: 4 });
    expect(wide.split('\n')[3]).toBe(
      '── 95/100 entities (85 agents, 10 proxies): new ones are rejected; raise entity-limit '.padEnd(120, '─'),
    );
    const narrow = frameOf(<TallHeader {...PROPS} feed={nearLimit(95)} columns={80} />, { columns: 80, rows: 4 });
    expect(narrow.split('\n')[3]).toBe(
      '── 95/100 entities: new ones are rejected; raise entity-limit '.padEnd(80, '─'),
    );
    expect(tall({ feed: nearLimit(79) })[3]).toBe('─'.repeat(100));
  });

  test('the warning of the entity limit is shortened in a header of one row', () => {
    expect(short({ feed: nearLimit(80) })).toContain('80/100 entities');
    expect(short({ feed: nearLimit(79) })).not.toContain('entities');
  });
});

describe('the tall header', () => {
  test('the tall header shows the backend, its state, the user and the time', () => {
    const [title] = tall();
    expect(title).toMatch(
      /^ mon {2}ops-eu {2}● LIVE 4,812 results\/s {2}lag 0\.0s +alice@ops \(rw\) {2}srv 1\.0\.0 {2}22:14:07Z/,
    );
  });

  test('the tall header shows the counts with words and symbols and a chart of the rates', () => {
    const [, counters] = tall();
    expect(counters).toMatch(
      /^ ✗ 41 crit {3}! 3 warn {3}\? 0 unkn {3}✓ 61,204 ok {3}S 1,234 silenced {3}~ 2 flapping +rate 5m ▁▃▅█/,
    );
  });

  test('the tall header shows the number of acknowledged events unless it is zero', () => {
    expect(tall()[1]).not.toContain('acked');
    expect(tall({ counts: { ...PROPS.counts, acknowledged: 4 } })[1]).toContain('A 4 acked');
  });

  test('the tall header shows since when the connection is lost, the next attempt and the age of the list', () => {
    const [title] = tall({ feed: LOST });
    expect(title).toMatch(/✗ DISCONNECTED 00:41 {2}retry in 4s \(#3\) {2}R now.* as of 22:13:25Z/);
    expect(title).not.toContain('results/s');
    expect(title).not.toContain('srv');
  });

  test('the tall header shows the address until the backend has sent its name', () => {
    const [title] = tall({ feed: INITIAL_FEED_STATUS });
    expect(title).toMatch(/^ mon {2}http:\/\/127\.0\.0\.1:4567 {2}… CONNECTING/);
  });

  test('the tall header shows a pause, the number of waiting changes and that the console is locked', () => {
    const [title] = tall({ paused: { sinceMs: NOW_MS - 3_725_000, unseen: 12_345 }, readOnly: true });
    expect(title).toMatch(/‖ PAUSED 1:02:05 {2}\+12,345 unseen/);
    expect(title).toContain('alice@ops (read-only)');
  });
});

describe('the short header', () => {
  test.each([100, 80, 60])('the short header shows state, counters and time in one row of %i cells', (columns) => {
    const row = short({ columns });
    expect(row).toMatch(/^ ops-eu ● LIVE 4,812\/s +✗41 !3 \?0 S1,234.* {2}22:14Z/);
    expect(row.length).toBeLessThanOrEqual(columns);
  });

  test('the short header replaces its outdated counters by the age of the list', () => {
    const row = short({ feed: LOST, columns: 80 });
    expect(row).toMatch(/^ ops-eu ✗ DISCONNECTED 00:41 {2}retry in 4s \(#3\) {2}R now +as of 22:13:25Z/);
    expect(row).not.toContain('✗41');
    expect(short({ feed: LOST, columns: 60 })).toMatch(/^ ops-eu ✗ DISCONNECTED 00:41 {2}retry in 4s +as of 22:13:25Z/);
  });
});
