import { beforeAll, describe, expect, test } from 'vitest';
import { DECISIONS } from './decisions.ts';
import { readRecording, type Group } from './recording.ts';
import { replayGroups, type Outcome } from './replay.ts';
import { rightProblems, decisionFor, type Decision } from './decision.ts';

const RECORDED = readRecording();

/**
 * Groups that were recorded on one backend, and are replayed on one backend in this order. Every other group gets a
 * backend of its own.
 */
const TOGETHER: readonly string[] = ['cluster-wide-a', 'res-rbac-a'];

const SETS: readonly (readonly [name: string, groups: readonly Group[]])[] = [
  ...RECORDED.filter(({ name }) => !TOGETHER.includes(name)).map((group) => [group.name, [group]] as const),
  [TOGETHER.join(', then '), TOGETHER.flatMap((name) => RECORDED.filter((group) => group.name === name))],
];

/** The decisions that were necessary for at least one line of the recording. */
const used = new Set<Decision>();

/**
 * Returns the differences from the recording, as text by case. If a decision applies to a line, the line is compared
 * with the correct response of the decision instead.
 */
function differencesOf(outcomes: readonly Outcome[]): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const outcome of outcomes) {
    const decision = decisionFor(DECISIONS, outcome);
    if (decision !== undefined) used.add(decision);
    const problems = decision === undefined ? outcome.problems : rightProblems(decision, outcome);
    if (problems.length === 0) continue;
    const { line, what } = outcome;
    const earlier = found.get(line.case) ?? [];
    found.set(line.case, [
      ...earlier,
      ...problems.map((problem) => `line ${String(line.number)}, ${what}: ${problem}`),
    ]);
  }
  return found;
}

describe.each(SETS)('replay of %s, recorded with Sensu Go', (_name, groups) => {
  let outcomes: Outcome[];
  beforeAll(async () => {
    outcomes = await replayGroups(groups);
  });

  test('every response of the v2 API equals the recorded one, except for documented deviations', () => {
    const differences = [...differencesOf(outcomes)].map(([one, problems]) => [one, problems.slice(0, 6)]);
    expect(differences).toEqual([]);
  });

  test('the replay performs every line of the recording of Sensu Go', () => {
    expect(outcomes).toHaveLength(groups.reduce((sum, { lines }) => sum + lines.length, 0));
  });
});

test('every documented deviation from Sensu Go is needed by a recorded line', () => {
  expect(DECISIONS.filter((decision) => !used.has(decision)).map(({ because }) => because)).toEqual([]);
});
