import { describe, expect, test } from 'vitest';
import {
  agentKeepaliveStatus,
  agentThresholds,
  isSilenceDue,
  saidOfSilence,
  hasKeepaliveThresholds,
} from '../../../../shared/domain/v2/keepalive.ts';
import type { SubmittedV2Event } from '../../../../shared/schemas/v2/event.ts';

/** The time 2026-11-22 16:50:00 UTC. */
const NOW = 1_795_366_200;
const BOTH = { interval: 4, timeout: 8, ttl: 16 };
const NEVER_CRITICAL = { ...BOTH, ttl: 0 };

function agentSeen(secondsAgo: number, keepalive: object = BOTH): Parameters<typeof agentKeepaliveStatus>[0] {
  return { name: 'web-01', timestamp: NOW - secondsAgo, keepalive };
}

test.each<{ secondsAgo: number; keepalive?: object; status: number; output: string }>([
  { secondsAgo: 7, status: 0, output: 'Keepalive last sent from web-01 at 2026-11-22 16:49:53 +0000 UTC' },
  { secondsAgo: -5, status: 0, output: 'Keepalive last sent from web-01 at 2026-11-22 16:50:05 +0000 UTC' },
  { secondsAgo: -1e16, status: 0, output: 'Keepalive last sent from web-01 at 10000001795366200' },
  { secondsAgo: 8, status: 1, output: 'No keepalive sent from web-01 for 8 seconds (>= 8)' },
  { secondsAgo: 16, status: 2, output: 'No keepalive sent from web-01 for 16 seconds (>= 16)' },
  { secondsAgo: 25, status: 2, output: 'No keepalive sent from web-01 for 25 seconds (>= 16)' },
  {
    secondsAgo: 864_000,
    keepalive: NEVER_CRITICAL,
    status: 1,
    output: 'No keepalive sent from web-01 for 864000 seconds (>= 8)',
  },
  {
    secondsAgo: 120,
    keepalive: { timeout: 120, ttl: 60 },
    status: 2,
    output: 'No keepalive sent from web-01 for 120 seconds (>= 120)',
  },
])('the keepalive status of a v2 agent says: $output', ({ secondsAgo, keepalive, status, output }) => {
  expect(agentKeepaliveStatus(agentSeen(secondsAgo, keepalive), NOW)).toEqual({ status, output });
});

test('a v2 keepalive with a missing token value is at least a warning', () => {
  expect(agentKeepaliveStatus(agentSeen(0), NOW, ['rack'])).toEqual({
    status: 1,
    output: 'Keepalive last sent from web-01 at 2026-11-22 16:50:00 +0000 UTC - Unmatched check token(s): rack',
  });
});

describe('a late keepalive', () => {
  test.each<{ name: string; secondsAgo: number; last?: { executed: number; status: number }; isDue: boolean }>([
    { name: 'not before a threshold is passed', secondsAgo: 7, last: { executed: NOW - 7, status: 0 }, isDue: false },
    { name: 'with the warning', secondsAgo: 8, last: { executed: NOW - 8, status: 0 }, isDue: true },
    { name: 'not again at once', secondsAgo: 9, last: { executed: NOW - 1, status: 1 }, isDue: false },
    { name: 'as soon as it is critical', secondsAgo: 16, last: { executed: NOW - 1, status: 1 }, isDue: true },
    { name: 'not again within the timeout', secondsAgo: 23, last: { executed: NOW - 7, status: 2 }, isDue: false },
    { name: 'again after the timeout', secondsAgo: 24, last: { executed: NOW - 8, status: 2 }, isDue: true },
    { name: 'when nothing was told yet', secondsAgo: 9, isDue: true },
    // The next keepalive resolves the event.
    { name: 'and never its end', secondsAgo: 0, last: { executed: NOW - 1, status: 2 }, isDue: false },
  ])('a late keepalive is reported $name', ({ secondsAgo, last, isDue }) => {
    expect(isSilenceDue(agentSeen(secondsAgo), last, NOW)).toBe(isDue);
  });
});

test.each<{ name: string; check: SubmittedV2Event['check']; said: object; thresholds: object }>([
  {
    name: 'nothing: a warning as everywhere',
    check: {},
    said: { interval: 20, timeout: 120, ttl: 0 },
    thresholds: { warning: 120 },
  },
  { name: 'both', check: BOTH, said: BOTH, thresholds: { warning: 8, critical: 16 } },
  { name: 'a warning alone', check: NEVER_CRITICAL, said: NEVER_CRITICAL, thresholds: { warning: 8 } },
  { name: 'no less than nothing', check: { ...BOTH, ttl: -1 }, said: NEVER_CRITICAL, thresholds: { warning: 8 } },
])('an agent may set these keepalive thresholds: $name', ({ check, said, thresholds }) => {
  expect(saidOfSilence({ check })).toEqual(said);
  expect(agentThresholds({ keepalive: saidOfSilence({ check }) })).toEqual(thresholds);
});

test.each<{ name: string; client: Readonly<Record<string, unknown>>; expected: boolean }>([
  { name: 'an agent of the newer generation', client: { entity_class: 'agent', keepalive: BOTH }, expected: true },
  {
    name: 'one that sends no keepalives',
    client: { entity_class: 'agent', keepalives: false, keepalive: BOTH },
    expected: false,
  },
  { name: 'one that somebody put', client: { entity_class: 'agent' }, expected: false },
  {
    name: 'a client with thresholds that somebody put as an agent',
    client: { entity_class: 'agent', keepalive: { thresholds: { warning: 60 } } },
    expected: false,
  },
  { name: 'a client whose keepalive has a timeout', client: { keepalive: BOTH }, expected: false },
])('a late keepalive is checked by the second for $name: $expected', ({ client, expected }) => {
  expect(hasKeepaliveThresholds(client)).toBe(expected);
});
