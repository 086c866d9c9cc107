import { describe, expect, test } from 'vitest';
import { staleRepeatOf, staleResult, ttlOf } from '../../../shared/domain/ttl.ts';
import type { CheckResult } from '../../../shared/schemas/result.ts';

const CLIENT = 'db-1';
const EXECUTED = 1_795_176_581;

const stored: CheckResult = {
  name: 'ttl1',
  output: 'fine',
  status: 0,
  ttl: 10,
  executed: EXECUTED,
  issued: EXECUTED,
  handler: 'file',
  interval: 5,
};

test.each<{ ttl: unknown; seconds: number }>([
  { ttl: 10, seconds: 10 },
  { ttl: undefined, seconds: 0 },
  { ttl: null, seconds: 0 },
  { ttl: false, seconds: 0 },
  { ttl: 0, seconds: 0 },
  { ttl: -5, seconds: 0 },
  { ttl: '10', seconds: 0 },
])('the attribute ttl: $ttl counts as a TTL of $seconds seconds', ({ ttl, seconds }) => {
  expect(ttlOf({ ...stored, ttl })).toBe(seconds);
});

test('a keepalive has no TTL, since its age is checked separately', () => {
  expect(ttlOf({ ...stored, name: 'keepalive' })).toBe(0);
});

test('a check without a result has no TTL', () => {
  expect(ttlOf(undefined)).toBe(0);
});

// Results that were recorded from Sensu Go (events-ttl).
describe('a stale result of a v2 check', () => {
  const sent: CheckResult = {
    ...stored,
    metadata: { labels: { team: 'ops' }, created_by: 'admin' },
    event_metadata: { labels: { top: '1' }, timestamp: EXECUTED },
  };

  test('a stale result of the v2 API repeats after its TTL, and a stale result of the v1 API every 30 seconds', () => {
    expect(staleRepeatOf(sent)).toBe(10);
    expect(staleRepeatOf(stored)).toBe(30);
  });

  test('a stale result of the v2 API keeps the interval and the sender of the event', () => {
    const first = staleResult(sent, CLIENT, EXECUTED + 20);
    expect(first).toEqual({
      ...sent,
      output: 'Last check execution was 20 seconds ago',
      status: 1,
      metadata: { labels: { team: 'ops' } },
      event_metadata: { labels: { top: '1' }, created_by: 'admin', timestamp: EXECUTED + 20 },
    });
    expect(staleResult(first, CLIENT, EXECUTED + 30)['event_metadata']).toEqual({
      labels: { top: '1' },
      created_by: 'admin',
      timestamp: EXECUTED + 30,
    });
  });
});

// Results that were recorded from Sensu Core (legacy-peer, Keepalive and TTL).
describe('a stale result', () => {
  test('a stale result is a warning with its age, is due every 30 seconds, and keeps all other attributes', () => {
    expect(staleResult(stored, CLIENT, EXECUTED + 20)).toEqual({
      ...stored,
      output: 'Last check execution was 20 seconds ago',
      status: 1,
      interval: 30,
    });
  });

  test('the output of a stale result contains an age that grows', () => {
    const first = staleResult(stored, CLIENT, EXECUTED + 20);
    expect(staleResult(first, CLIENT, EXECUTED + 50)).toEqual({
      ...first,
      output: 'Last check execution was 50 seconds ago',
    });
  });

  test.each<{ ttlStatus: unknown; status: number }>([
    { ttlStatus: 2, status: 2 },
    { ttlStatus: 0, status: 0 },
    { ttlStatus: null, status: 1 },
    { ttlStatus: 'x', status: 1 },
  ])('a stale result has the status of ttl_status: $ttlStatus', ({ ttlStatus, status }) => {
    expect(staleResult({ ...stored, ttl_status: ttlStatus }, CLIENT, EXECUTED + 20).status).toBe(status);
  });

  test('a stale result of a proxy client has that client as its source, whichever agent sent the last result', () => {
    const proxied = { ...stored, source: CLIENT, origin: 'web-1' };
    expect(staleResult(proxied, CLIENT, EXECUTED + 20)['origin']).toBe(CLIENT);
  });

  test('a stale result that a user resolved stays resolved, and its TTL is still watched (completion 1.20)', () => {
    const resolved = {
      ...stored,
      output: 'Resolving on request of the API',
      force_resolve: true,
      total_state_change: 0,
    };
    expect(staleResult(resolved, CLIENT, EXECUTED + 12)).toEqual({
      ...stored,
      output: 'Last check execution was 12 seconds ago',
      status: 1,
      interval: 30,
    });
  });
});
