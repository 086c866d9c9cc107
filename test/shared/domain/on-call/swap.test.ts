import { describe, expect, test } from 'vitest';
import { swappedShifts } from '../../../../shared/domain/on-call/swap.ts';

/* Times are numbers of a made-up clock: the schedule ends at 100. */

const SCHEDULE = {
  name: 'database',
  shifts: [
    { person: 'ada', from: 10, until: 20, layer: 1 },
    { person: 'bob', from: 20, until: 30, layer: 1 },
    { person: 'ada', from: 30, until: 40, layer: 1 },
    { person: 'bob', from: 50, until: 60, layer: 1 },
    { person: 'cy', from: 60, until: 100, layer: 1 },
  ],
  gaps: [{ from: 40, until: 50 }],
};

describe('a swap of two shifts (on-call 3)', () => {
  test.each([
    { name: 'takes the current shift and the next one', request: {}, spans: ['bob 10-20', 'ada 20-30'] },
    { name: 'takes the shift at the given time', request: { at: 35 }, spans: ['bob 30-40', 'ada 20-30'] },
    { name: 'takes the next shift after a gap', request: { other_at: 45 }, spans: ['bob 10-20', 'ada 50-60'] },
    {
      name: 'does not take a shift that ends at the given time',
      request: { at: 20 },
      spans: ['bob 30-40', 'ada 20-30'],
    },
  ])('$name', ({ request, spans }) => {
    const swapped = swappedShifts(SCHEDULE, { person: 'ada', other: 'bob', ...request });
    if ('problem' in swapped) throw new Error(swapped.problem);
    expect(swapped.map(({ person, from, until }) => `${person} ${String(from)}-${String(until)}`)).toEqual(spans);
  });

  test.each([
    { name: 'with oneself', request: { other: 'ada' }, problem: 'other: must be another person' },
    {
      name: 'with a person who has no shift',
      request: { other: 'dan' },
      problem: 'dan has no shift of database to swap in the next 92 days',
    },
    {
      name: 'after the last shift of the person',
      request: { at: 40 },
      problem: 'ada has no shift of database to swap in the next 92 days',
    },
    {
      name: 'of a shift without an end',
      request: { other: 'cy' },
      problem: 'the shift of cy does not end in the next 92 days: create overrides instead',
    },
  ])('a swap $name is rejected', ({ request, problem }) => {
    expect(swappedShifts(SCHEDULE, { person: 'ada', other: 'bob', ...request })).toEqual({ problem });
  });
});
