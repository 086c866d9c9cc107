import { beforeAll, describe, expect, test } from 'vitest';
import { replay, type Outcome } from './replay.ts';
import { SCENARIOS, type ScenarioName } from './scenario.ts';
import type { LineDecision } from './v1/decision.ts';
import { DECISIONS } from './v1/decisions.ts';

/** Expected number of lines per outcome in each recorded file, so that no line is silently skipped. */
const LINES: Readonly<Record<ScenarioName, Readonly<Record<string, number>>>> = {
  aggregates: { equal: 69, sanctioned: 6, 'shows the inside of the peer': 1 },
  checks: { equal: 21, sanctioned: 6, 'shows the inside of the peer': 1 },
  clients: {
    equal: 138,
    sanctioned: 10,
    published: 7,
    'shows the inside of the peer': 9,
    'left to chance': 2,
  },
  events: {
    equal: 316,
    sanctioned: 1,
    'tested with real handlers': 8,
    'shows the inside of the peer': 1,
    'left to chance': 1,
  },
  keepalive_ttl: {
    equal: 25,
    sanctioned: 14,
    published: 16,
    'shows the inside of the peer': 7,
  },
  misc: { equal: 74, sanctioned: 17, 'left to chance': 1, 'tested beside the API': 8 },
  request: { equal: 35, 'left to chance': 1, 'shows the inside of the peer': 1 },
  resolve: { equal: 25, published: 1, 'shows the inside of the peer': 2 },
  results: {
    equal: 178,
    sanctioned: 22,
    published: 7,
    'shows the inside of the peer': 5,
    'left to chance': 1,
  },
  silenced: { equal: 119, sanctioned: 17, 'shows the inside of the peer': 2, 'left to chance': 2 },
};

/** The decisions that were necessary for at least one line. */
const needed = new Set<LineDecision>();

describe.each(SCENARIOS)('replay of %s, recorded with Sensu Core', (file: ScenarioName) => {
  let outcomes: Outcome[];
  beforeAll(async () => {
    outcomes = await replay(file);
    for (const outcome of outcomes) {
      if (outcome.kind === 'sanctioned') for (const decision of outcome.decisions) needed.add(decision);
    }
  });

  test('every response of the v1 API equals the recorded one, except for documented deviations', () => {
    expect(outcomes.filter(({ kind }) => kind === 'different')).toEqual([]);
  });

  test('the replay handles every line of the recording of Sensu Core', () => {
    const counts: Record<string, number> = {};
    for (const outcome of outcomes) {
      const what = outcome.kind === 'skipped' ? outcome.reason : outcome.kind;
      counts[what] = (counts[what] ?? 0) + 1;
    }
    expect(counts).toEqual(LINES[file]);
  });
});

test('every documented deviation from Sensu Core is needed by a recorded line', () => {
  expect(DECISIONS.filter((decision) => !needed.has(decision)).map(({ because }) => because)).toEqual([]);
});
