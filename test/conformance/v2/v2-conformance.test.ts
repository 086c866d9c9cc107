import { beforeAll, describe, expect, test } from 'vitest';
import { DECISIONS } from './decisions.ts';
import { readRecording, type Group } from './recording.ts';
import { replayGroups, type Outcome } from './replay.ts';
import { rightProblems, decisionFor, type Decision } from './decision.ts';

const RECORDED = readRecording();

/** Groups that were recorded on one backend, in their order. Every other group has its own backend. */
const TOGETHER: readonly string[] = ['cluster-wide-a', 'res-rbac-a'];

const SETS: readonly (readonly [name: string, groups: readonly Group[]])[] = [
  ...RECORDED.filter(({ name }) => !TOGETHER.includes(name)).map((group) => [group.name, [group]] as const),
  [TOGETHER.join(', then '), TOGETHER.flatMap((name) => RECORDED.filter((group) => group.name === name))],
];

/** The decisions that some line of the recording needed. */
const used = new Set<Decision>();

/** Returns the differences of each case without a decision, as text. */
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

describe.each(SETS)('%s, as recorded with the real peer', (_name, groups) => {
  let outcomes: Outcome[];
  beforeAll(async () => {
    outcomes = await replayGroups(groups);
  });

  test('every case agrees with the recording, except for the decisions', () => {
    const differences = [...differencesOf(outcomes)].map(([one, problems]) => [one, problems.slice(0, 6)]);
    expect(differences).toEqual([]);
  });

  test('every line of the recording was performed', () => {
    expect(outcomes).toHaveLength(groups.reduce((sum, { lines }) => sum + lines.length, 0));
  });
});

test('every decision is about an existing difference', () => {
  expect(DECISIONS.filter((decision) => !used.has(decision)).map(({ because }) => because)).toEqual([]);
});
