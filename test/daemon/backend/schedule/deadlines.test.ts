import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { Deadlines } from '../../../../daemon/backend/schedule/deadlines.ts';

test('each deadline is returned once when it is due, the earliest first', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(50)), fc.array(fc.nat(60)), (times, looks) => {
      const deadlines = new Deadlines();
      let waiting = times.map((atMs, at) => ({ atMs, id: String(at) }));
      for (const deadline of waiting) deadlines.add(deadline);
      for (const nowMs of looks.toSorted((a, b) => a - b)) {
        const due = [...deadlines.due(nowMs)];
        const expected = waiting.filter(({ atMs }) => atMs <= nowMs);
        waiting = waiting.filter(({ atMs }) => atMs > nowMs);
        expect(due.map(({ atMs }) => atMs)).toEqual(expected.map(({ atMs }) => atMs).toSorted((a, b) => a - b));
        expect(due.map(({ id }) => id).toSorted()).toEqual(expected.map(({ id }) => id).toSorted());
        expect(deadlines.next?.atMs).toBe(
          waiting.length === 0 ? undefined : Math.min(...waiting.map(({ atMs }) => atMs)),
        );
      }
    }),
  );
});

test('a deadline that is added while due deadlines are read is returned as well', () => {
  const deadlines = new Deadlines();
  for (const atMs of [1, 2, 3]) deadlines.add({ atMs, id: String(atMs) });
  const taken: string[] = [];
  for (const { id } of deadlines.due(3)) {
    taken.push(id);
    if (id === '1') deadlines.add({ atMs: 2.5, id: 'late' });
  }
  expect(taken).toEqual(['1', '2', 'late', '3']);
});
