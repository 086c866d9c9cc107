import { describe, expect, test } from 'vitest';
import { policyProblem, type PolicedSilence } from '../../../shared/domain/silence-policy.ts';
import type { SilencePolicy } from '../../../shared/schemas/silence-policy.ts';
import { cpuMs } from '../../support/cpu-ms.ts';

const LAX: SilencePolicy = {
  reason: 'optional',
  reason_pattern: null,
  max_expire: null,
  warn_matches: 50,
  apply_to_v1: false,
};

describe('the silence policy (console 4.2)', () => {
  test.each<[rule: string, policy: Partial<SilencePolicy>, silence: PolicedSilence, problem: string | undefined]>([
    ['no policy accepts every silence', {}, {}, undefined],
    [
      'a silence without a reason is rejected if a reason is required',
      { reason: 'required' },
      {},
      'a reason is required',
    ],
    ['the reason null counts as no reason', { reason: 'required' }, { reason: null }, 'a reason is required'],
    ['a blank reason counts as no reason', { reason: 'required' }, { reason: ' \n' }, 'a reason is required'],
    ['any text is accepted as a reason', { reason: 'required' }, { reason: 'x' }, undefined],
    [
      'a pattern must match the whole reason',
      { reason_pattern: 'CHG-*' },
      { reason: 'see CHG-1' },
      'the reason must look like CHG-*',
    ],
    [
      'a reason that matches the pattern is accepted',
      { reason_pattern: '*CHG-????*' },
      { reason: 'see chg-4412.' },
      undefined,
    ],
    [
      'required words may be anywhere in the reason',
      { reason_pattern: 'ticket chg' },
      { reason: 'CHG-1, by Ticket' },
      undefined,
    ],
    [
      'every required word must be in the reason',
      { reason_pattern: 'ticket chg' },
      { reason: 'ticket' },
      'the reason must contain: ticket chg',
    ],
    ['a pattern does not require a reason', { reason_pattern: 'CHG-*' }, {}, undefined],
    ['the longest allowed duration is accepted', { max_expire: 3600 }, { expire: 3600 }, undefined],
    ['a longer duration than allowed is rejected', { max_expire: 3600 }, { expire: 3601 }, 'it must end within 1h'],
    [
      'a silence without an end is rejected if a duration is required',
      { max_expire: 3600 },
      {},
      'it must end within 1h',
    ],
    [
      'expire -1 is rejected if there is a longest duration',
      { max_expire: 3600 },
      { expire: -1 },
      'it must end within 1h',
    ],
    [
      'expire_on_resolve without an end is rejected if there is a longest duration',
      { max_expire: 5400 },
      { expire: null },
      'it must end within 1h30m',
    ],
    ['expire 0 is accepted', { max_expire: 3600 }, { expire: 0 }, undefined],
  ])('the silence policy applies the rule: %s', (_rule, policy, silence, problem) => {
    expect(policyProblem({ ...LAX, ...policy }, silence)).toBe(problem);
  });

  test('a hostile pattern of the silence policy takes bounded time', () => {
    const policy = { ...LAX, reason_pattern: `${'*a'.repeat(90)}*b` };
    const start = cpuMs();
    expect(policyProblem(policy, { reason: 'a'.repeat(10_000) })).toContain('must look like');
    expect(cpuMs() - start).toBeLessThan(2000);
  });
});
