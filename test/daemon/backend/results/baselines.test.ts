import { expect, test } from 'vitest';
import { BaselineBudget, ConnectionBaselines } from '../../../../daemon/backend/results/baselines.ts';
import type { CheckEntry } from '../../../../daemon/backend/model/registry/namespace.ts';

const NOW = { definitions: 1, registry: 1, deletions: 0 };

/** Adds a baseline to a connection, for another check unless `entry` is given, and returns whether it was accepted. */
function add(baselines: ConnectionBaselines, id: number, entry = {} as CheckEntry): boolean {
  return baselines.add({ id, entry, signature: '', hasDuration: false }, NOW);
}

test('a connection of an agent has at most 1024 baselines, and deleting a baseline frees space', () => {
  const baselines = new ConnectionBaselines(new BaselineBudget());
  for (let id = 1; id <= 1024; id++) expect(add(baselines, id)).toBe(true);
  expect(add(baselines, 1025)).toBe(false);
  baselines.delete(1);
  expect(add(baselines, 1025)).toBe(true);
});

test('all connections share a limit of baselines, and a closed connection frees its baselines', () => {
  const budget = new BaselineBudget(2);
  const [one, other] = [new ConnectionBaselines(budget), new ConnectionBaselines(budget)];
  expect([add(one, 1), add(one, 2), add(other, 1), budget.used]).toEqual([true, true, false, 2]);
  one.end();
  expect([add(other, 1), add(one, 3), budget.used]).toEqual([true, false, 1]);
});

test('a baseline is usable once it is stored, until the check gets another one or the definitions change', () => {
  const baselines = new ConnectionBaselines(new BaselineBudget());
  const entry = {} as CheckEntry;
  add(baselines, 1, entry);
  const baseline = baselines.get(1);
  expect(baseline?.isUsable(NOW)).toBe(false);
  if (baseline !== undefined) baseline.isStored = true;
  expect(baseline?.isUsable(NOW)).toBe(true);
  for (const changed of ['definitions', 'registry', 'deletions'] as const) {
    expect(baseline?.isUsable({ ...NOW, [changed]: 7 })).toBe(false);
  }
  entry.baseline = undefined;
  expect(baseline?.isUsable(NOW)).toBe(false);
});
