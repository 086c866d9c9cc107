import { describe, expect, test } from 'vitest';
import { mayEndSilence, maintenanceOutcome, silenceConflictMessage } from '../../../shared/domain/maintenance.ts';
import { silencedEntry } from '../../../shared/domain/silencing.ts';
import type { HoldRequest } from '../../../shared/schemas/maintenance.ts';

const NOW_MS = 1_000_000_000;
const REQUEST: HoldRequest = { subscription: 'client:web-1', run: 'run-0001', seconds: 60, reason: 'deploy' };
const other = silencedEntry({ subscription: 'client:web-1', creator: 'alice', reason: 'CHG-1' }, NOW_MS);
const own = { ...silencedEntry({ subscription: 'client:web-1', expire: 60 }, NOW_MS), run: 'run-0001' };

describe('a silence that a maintenance run holds (spec, maintenance 1)', () => {
  test('a maintenance run creates its silence if there is none, with an expiry', () => {
    expect(maintenanceOutcome(undefined, REQUEST, NOW_MS)).toEqual({
      kind: 'begin',
      entry: expect.objectContaining({
        id: 'client:web-1:*',
        run: 'run-0001',
        reason: 'deploy',
        expireAtMs: NOW_MS + 60_000,
      }),
    });
  });

  test('a maintenance run renews its silence and changes only the end of the silence', () => {
    expect(maintenanceOutcome(own, { ...REQUEST, seconds: 30 }, NOW_MS + 45_000)).toEqual({
      kind: 'renew',
      entry: { ...own, expireAtMs: NOW_MS + 75_000 },
    });
  });

  test.each([
    ['a user has a silence with the same id', other],
    ['another maintenance run has a silence with the same id', { ...own, run: 'run-0002' }],
  ])('the silence of a maintenance run is rejected if %s', (_what, before) => {
    expect(maintenanceOutcome(before, REQUEST, NOW_MS)).toEqual({ kind: 'taken', by: before });
  });

  test('a maintenance silence is not created again when somebody has cleared it', () => {
    expect(maintenanceOutcome(undefined, { ...REQUEST, renews: true }, NOW_MS)).toEqual({ kind: 'gone' });
  });

  test('a maintenance silence is ended only by the maintenance run that created it', () => {
    expect([own, other].map((entry) => mayEndSilence(entry, REQUEST))).toEqual([true, false]);
  });

  test('a rejected maintenance run says whose silence is active, why, and what to do', () => {
    expect(silenceConflictMessage(other)).toBe(
      'client:web-1:* is already silenced, by alice: CHG-1: clear it, or name another check',
    );
    expect(silenceConflictMessage(own)).toBe(
      'client:web-1:* is already silenced: wait for the run that owns it (a minute, if that run was killed), or name another check',
    );
  });
});
