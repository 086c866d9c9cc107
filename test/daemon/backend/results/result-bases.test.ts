import { expect, test } from 'vitest';
import { BaseRoom, ResultBases } from '../../../../daemon/backend/results/result-bases.ts';
import type { CheckEntry } from '../../../../daemon/backend/registry/namespace.ts';

const NOW = { definitions: 1, registry: 1, deletions: 0 };

/** Adds a baseline for another check to a connection. */
function add(bases: ResultBases, id: number, entry = {} as CheckEntry): boolean {
  return bases.add({ id, entry, signature: '', hasDuration: false }, NOW);
}

test('a connection has at most 1024 baselines, and a deleted one frees space', () => {
  const bases = new ResultBases(new BaseRoom());
  for (let id = 1; id <= 1024; id++) expect(add(bases, id)).toBe(true);
  expect(add(bases, 1025)).toBe(false);
  bases.delete(1);
  expect(add(bases, 1025)).toBe(true);
});

test('all connections share a limit of baselines, and a closed one frees space', () => {
  const room = new BaseRoom(2);
  const [one, other] = [new ResultBases(room), new ResultBases(room)];
  expect([add(one, 1), add(one, 2), add(other, 1), room.taken]).toEqual([true, true, false, 2]);
  one.end();
  expect([add(other, 1), add(one, 3), room.taken]).toEqual([true, false, 1]);
});

test('a baseline is valid once it is stored and until its check or anything else changes', () => {
  const bases = new ResultBases(new BaseRoom());
  const entry = {} as CheckEntry;
  add(bases, 1, entry);
  const base = bases.get(1);
  expect(base?.isGood(NOW)).toBe(false);
  if (base !== undefined) base.isStored = true;
  expect(base?.isGood(NOW)).toBe(true);
  for (const changed of ['definitions', 'registry', 'deletions'] as const) {
    expect(base?.isGood({ ...NOW, [changed]: 7 })).toBe(false);
  }
  entry.base = undefined;
  expect(base?.isGood(NOW)).toBe(false);
});
