import { beforeAll, describe, expect, test } from 'vitest';
import { CORRECTIONS, DIFFERENCES } from './differences.ts';
import { replay, type Outcome } from './replay.ts';
import { readScenario, SCENARIOS, type ScenarioName } from './scenario.ts';

/** What became of the lines of each file, so that none is dropped unseen. */
const LINES: Readonly<Record<ScenarioName, Readonly<Record<string, number>>>> = {
  aggregates: { equal: 69, sanctioned: 6, 'shows the inside of the peer': 1 },
  checks: { equal: 23, sanctioned: 4, 'shows the inside of the peer': 1 },
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
    equal: 181,
    sanctioned: 19,
    published: 7,
    'shows the inside of the peer': 5,
    'left to chance': 1,
  },
  silenced: { equal: 124, sanctioned: 12, 'shows the inside of the peer': 2, 'left to chance': 2 },
};

describe.each(SCENARIOS)('%s, as recorded with the real peer', (file: ScenarioName) => {
  let outcomes: Outcome[];
  beforeAll(async () => {
    outcomes = await replay(file);
  });

  test('every answer is the recorded one, but for the named differences', () => {
    expect(outcomes.filter(({ kind }) => kind === 'different')).toEqual([]);
  });

  test('every line was dealt with', () => {
    const counts: Record<string, number> = {};
    for (const outcome of outcomes) {
      const what = outcome.kind === 'skipped' ? outcome.reason : outcome.kind;
      counts[what] = (counts[what] ?? 0) + 1;
    }
    expect(counts).toEqual(LINES[file]);
  });

  const differences = DIFFERENCES.filter((difference) => difference.file === file);
  test.each(differences)('line $line, $case: $because', ({ line }) => {
    expect(outcomes[line - 1]).toMatchObject({ line, kind: 'sanctioned', problems: [] });
  });

  const corrections = CORRECTIONS.filter((correction) => correction.file === file);
  test.each(corrections)('all lines: $because', ({ texts }) => {
    const recorded = JSON.stringify(readScenario(file));
    for (const wrong of Object.keys(texts)) expect(recorded).toContain(`:${JSON.stringify(wrong)}`);
  });
});
