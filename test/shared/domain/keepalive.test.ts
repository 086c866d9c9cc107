import { describe, expect, test } from 'vitest';
import { keepaliveOf, keepaliveStatus } from '../../../shared/domain/keepalive.ts';
import type { Client } from '../../../shared/schemas/client.ts';
import { KEEPALIVE_THRESHOLDS } from '../../../shared/schemas/keepalive.ts';

const NOW = 1_795_176_611;

function clientSeen(secondsAgo: number, keepalive?: unknown): Client {
  return {
    name: 'web-1',
    address: '10.0.0.9',
    subscriptions: ['base', 'client:web-1'],
    version: '1.9.0',
    timestamp: NOW - secondsAgo,
    ...(keepalive !== undefined && { keepalive }),
  };
}

// Results that were recorded from Sensu Core (legacy-peer, Keepalive and TTL).
test.each<{ secondsAgo: number; keepalive?: unknown; status: number; output: string }>([
  { secondsAgo: 30, status: 0, output: 'Keepalive sent from client 30 seconds ago' },
  { secondsAgo: -5, status: 0, output: 'Keepalive sent from client 0 seconds ago' },
  { secondsAgo: 119, status: 0, output: 'Keepalive sent from client 119 seconds ago' },
  { secondsAgo: 120, status: 1, output: 'No keepalive sent from client for 120 seconds (>=120)' },
  { secondsAgo: 160, status: 1, output: 'No keepalive sent from client for 160 seconds (>=120)' },
  { secondsAgo: 179, status: 1, output: 'No keepalive sent from client for 179 seconds (>=120)' },
  { secondsAgo: 230, status: 2, output: 'No keepalive sent from client for 230 seconds (>=180)' },
  {
    secondsAgo: 70,
    keepalive: { thresholds: { warning: 30, critical: 60 }, handlers: ['file'] },
    status: 2,
    output: 'No keepalive sent from client for 70 seconds (>=60)',
  },
  {
    secondsAgo: 130,
    keepalive: { thresholds: { critical: 125 } },
    status: 2,
    output: 'No keepalive sent from client for 130 seconds (>=125)',
  },
  {
    secondsAgo: 100,
    keepalive: { thresholds: { warning: 90, critical: null } },
    status: 1,
    output: 'No keepalive sent from client for 100 seconds (>=90)',
  },
])('the keepalive result has the output: $output', ({ secondsAgo, keepalive, status, output }) => {
  expect(keepaliveStatus(clientSeen(secondsAgo, keepalive), NOW)).toMatchObject({ status, output });
});

test('the keepalive thresholds of the settings apply to clients without own thresholds', () => {
  const thresholds = { warning: 40, critical: 300 };
  expect(keepaliveStatus(clientSeen(50), NOW, { thresholds })).toEqual({
    status: 1,
    output: 'No keepalive sent from client for 50 seconds (>=40)',
    thresholds,
  });
  expect(keepaliveStatus(clientSeen(50, { thresholds: { warning: 60 } }), NOW, { thresholds })).toEqual({
    status: 0,
    output: 'Keepalive sent from client 50 seconds ago',
    thresholds: { warning: 60, critical: 300 },
  });
});

describe('keepalives with tokens that have no value', () => {
  const unmatched = ['missing.attr', 'b'];
  const suffix = ' - Unmatched check token(s): missing.attr, b';
  test.each<{ secondsAgo: number; status: number; output: string }>([
    { secondsAgo: 30, status: 1, output: `Keepalive sent from client 30 seconds ago${suffix}` },
    { secondsAgo: 130, status: 1, output: `No keepalive sent from client for 130 seconds (>=120)${suffix}` },
    { secondsAgo: 230, status: 2, output: `No keepalive sent from client for 230 seconds (>=180)${suffix}` },
  ])(
    'a keepalive with a missing token value is at least a warning after $secondsAgo seconds',
    ({ secondsAgo, status, output }) => {
      const thresholds = KEEPALIVE_THRESHOLDS;
      expect(keepaliveStatus(clientSeen(secondsAgo), NOW, { unmatched })).toEqual({ status, output, thresholds });
    },
  );
});

test.each<{ keepalive: unknown; effective: unknown }>([
  { keepalive: { handlers: ['file'], refresh: 1800 }, effective: { handlers: ['file'], refresh: 1800 } },
  { keepalive: undefined, effective: {} },
  { keepalive: null, effective: {} },
  { keepalive: 'x', effective: {} },
])('the keepalive attributes of a client apply to its keepalive check: $effective', ({ keepalive, effective }) => {
  expect(keepaliveOf(clientSeen(0, keepalive))).toEqual(effective);
});
