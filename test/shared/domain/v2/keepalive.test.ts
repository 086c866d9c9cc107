import { describe, expect, test } from 'vitest';
import {
  agentKeepaliveStatus,
  agentThresholds,
  isMissingKeepaliveDue,
  sentKeepaliveSettings,
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
])('the keepalive result of a v2 agent has the output: $output', ({ secondsAgo, keepalive, status, output }) => {
  expect(agentKeepaliveStatus(agentSeen(secondsAgo, keepalive), NOW)).toEqual({ status, output });
});

test('the keepalive result of a v2 agent with a missing token value is at least a warning', () => {
  expect(agentKeepaliveStatus(agentSeen(0), NOW, ['rack'])).toEqual({
    status: 1,
    output: 'Keepalive last sent from web-01 at 2026-11-22 16:50:00 +0000 UTC - Unmatched check token(s): rack',
  });
});

describe('a late keepalive of a v2 agent', () => {
  test.each<{ name: string; secondsAgo: number; last?: { executed: number; status: number }; isDue: boolean }>([
    {
      name: 'it is not reported before the warning threshold',
      secondsAgo: 7,
      last: { executed: NOW - 7, status: 0 },
      isDue: false,
    },
    {
      name: 'it is reported at the warning threshold',
      secondsAgo: 8,
      last: { executed: NOW - 8, status: 0 },
      isDue: true,
    },
    {
      name: 'it is not reported again one second later',
      secondsAgo: 9,
      last: { executed: NOW - 1, status: 1 },
      isDue: false,
    },
    {
      name: 'it is reported at the critical threshold',
      secondsAgo: 16,
      last: { executed: NOW - 1, status: 1 },
      isDue: true,
    },
    {
      name: 'it is not reported again within the timeout',
      secondsAgo: 23,
      last: { executed: NOW - 7, status: 2 },
      isDue: false,
    },
    {
      name: 'it is reported again after the timeout',
      secondsAgo: 24,
      last: { executed: NOW - 8, status: 2 },
      isDue: true,
    },
    { name: 'it is reported if no keepalive result exists yet', secondsAgo: 9, isDue: true },
    // A keepalive that is not late is not reported, because it resolves the event itself.
    {
      name: 'a keepalive in time is not reported',
      secondsAgo: 0,
      last: { executed: NOW - 1, status: 2 },
      isDue: false,
    },
  ])('a late keepalive of a v2 agent is reported or not: $name', ({ secondsAgo, last, isDue }) => {
    expect(isMissingKeepaliveDue(agentSeen(secondsAgo), last, NOW)).toBe(isDue);
  });
});

test.each<{ name: string; check: SubmittedV2Event['check']; sent: object; thresholds: object }>([
  {
    name: 'without thresholds the default warning applies',
    check: {},
    sent: { interval: 20, timeout: 120, ttl: 0 },
    thresholds: { warning: 120 },
  },
  { name: 'a warning and a critical threshold', check: BOTH, sent: BOTH, thresholds: { warning: 8, critical: 16 } },
  { name: 'only a warning threshold', check: NEVER_CRITICAL, sent: NEVER_CRITICAL, thresholds: { warning: 8 } },
  {
    name: 'a negative critical threshold counts as none',
    check: { ...BOTH, ttl: -1 },
    sent: NEVER_CRITICAL,
    thresholds: { warning: 8 },
  },
])('the keepalive thresholds of a v2 agent are read: $name', ({ check, sent, thresholds }) => {
  expect(sentKeepaliveSettings({ check })).toEqual(sent);
  expect(agentThresholds({ keepalive: sentKeepaliveSettings({ check }) })).toEqual(thresholds);
});

test.each<{ name: string; client: Readonly<Record<string, unknown>>; expected: boolean }>([
  { name: 'a v2 agent', client: { entity_class: 'agent', keepalive: BOTH }, expected: true },
  {
    name: 'a v2 agent without keepalives',
    client: { entity_class: 'agent', keepalives: false, keepalive: BOTH },
    expected: false,
  },
  { name: 'an entity that was created by the API', client: { entity_class: 'agent' }, expected: false },
  {
    name: 'an entity of class agent that was created by the API with v1 thresholds',
    client: { entity_class: 'agent', keepalive: { thresholds: { warning: 60 } } },
    expected: false,
  },
  { name: 'a v1 client whose keepalive has a timeout', client: { keepalive: BOTH }, expected: false },
])('the keepalive of $name is checked every second: $expected', ({ client, expected }) => {
  expect(hasKeepaliveThresholds(client)).toBe(expected);
});
