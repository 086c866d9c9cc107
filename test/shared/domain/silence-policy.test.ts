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
    ['nothing is asked', {}, {}, undefined],
    ['a reason is asked', { reason: 'required' }, {}, 'a reason is required'],
    ['null is none', { reason: 'required' }, { reason: null }, 'a reason is required'],
    ['blanks are none', { reason: 'required' }, { reason: ' \n' }, 'a reason is required'],
    ['any reason will do', { reason: 'required' }, { reason: 'x' }, undefined],
    [
      'a pattern is for the whole',
      { reason_pattern: 'CHG-*' },
      { reason: 'see CHG-1' },
      'the reason must look like CHG-*',
    ],
    ['a pattern that fits', { reason_pattern: '*CHG-????*' }, { reason: 'see chg-4412.' }, undefined],
    ['words stand anywhere', { reason_pattern: 'ticket chg' }, { reason: 'CHG-1, by Ticket' }, undefined],
    ['all words', { reason_pattern: 'ticket chg' }, { reason: 'ticket' }, 'the reason must contain: ticket chg'],
    ['a pattern asks for no reason', { reason_pattern: 'CHG-*' }, {}, undefined],
    ['an end within the longest', { max_expire: 3600 }, { expire: 3600 }, undefined],
    ['an end too late', { max_expire: 3600 }, { expire: 3601 }, 'it must end within 1h'],
    ['no end', { max_expire: 3600 }, {}, 'it must end within 1h'],
    ['never', { max_expire: 3600 }, { expire: -1 }, 'it must end within 1h'],
    ['on resolve is no end', { max_expire: 5400 }, { expire: null }, 'it must end within 1h30m'],
    ['gone at once', { max_expire: 3600 }, { expire: 0 }, undefined],
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
