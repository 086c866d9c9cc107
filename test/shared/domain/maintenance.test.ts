import { describe, expect, test } from 'vitest';
import { mayRelease, nextHold, takenText } from '../../../shared/domain/maintenance.ts';
import { silencedEntry } from '../../../shared/domain/silencing.ts';
import type { HoldRequest } from '../../../shared/schemas/maintenance.ts';

const NOW_MS = 1_000_000_000;
const REQUEST: HoldRequest = { subscription: 'client:web-1', run: 'run-0001', seconds: 60, reason: 'deploy' };
const other = silencedEntry({ subscription: 'client:web-1', creator: 'alice', reason: 'CHG-1' }, NOW_MS);
const own = { ...silencedEntry({ subscription: 'client:web-1', expire: 60 }, NOW_MS), run: 'run-0001' };

describe('a silence that a command holds (spec, maintenance 1)', () => {
  test('begins where there is none, and ends by itself', () => {
    expect(nextHold(undefined, REQUEST, NOW_MS)).toEqual({
      kind: 'begin',
      entry: expect.objectContaining({
        id: 'client:web-1:*',
        run: 'run-0001',
        reason: 'deploy',
        expireAtMs: NOW_MS + 60_000,
      }),
    });
  });

  test('is renewed by the run that holds it: its end alone is another', () => {
    expect(nextHold(own, { ...REQUEST, seconds: 30 }, NOW_MS + 45_000)).toEqual({
      kind: 'renew',
      entry: { ...own, expireAtMs: NOW_MS + 75_000 },
    });
  });

  test.each([
    ['somebody has one there', other],
    ['another run holds one', { ...own, run: 'run-0002' }],
  ])('is refused where %s', (_what, before) => {
    expect(nextHold(before, REQUEST, NOW_MS)).toEqual({ kind: 'taken', by: before });
  });

  test('does not come back when somebody has cleared it', () => {
    expect(nextHold(undefined, { ...REQUEST, renews: true }, NOW_MS)).toEqual({ kind: 'gone' });
  });

  test('is ended by its run alone', () => {
    expect([own, other].map((entry) => mayRelease(entry, REQUEST))).toEqual([true, false]);
  });

  test('a rejected maintenance run says whose silence is active, why, and what to do', () => {
    expect(takenText(other)).toBe(
      'client:web-1:* is silenced already, by alice: CHG-1: clear it, or name another check',
    );
    expect(takenText(own)).toBe(
      'client:web-1:* is silenced already: wait for the run that holds it (a minute, where that was killed), or name another check',
    );
  });
});
