import { describe, expect, test } from 'vitest';
import { handlerSchema } from '../../../shared/schemas/handler.ts';
import { problemsOf } from '../../../shared/schemas/problems.ts';

const PIPE = { type: 'pipe', command: 'true' };

function problems(handler: object): string {
  const parsed = handlerSchema.safeParse(handler);
  return parsed.success ? '' : problemsOf(parsed.error);
}

describe('handler options that exclude group_by', () => {
  test.each<{ name: string; handler: object; expectedProblem: string }>([
    {
      name: 'a handler of another type than pipe',
      handler: { type: 'udp', socket: { host: 'a', port: 1 }, group_by: [] },
      expectedProblem: 'type pipe',
    },
    { name: 'a handler set', handler: { type: 'set', handlers: [], group_by: [] }, expectedProblem: 'type pipe' },
    {
      name: 'group_wait without group_by',
      handler: { ...PIPE, group_wait: 5 },
      expectedProblem: 'group_wait: needs group_by',
    },
    {
      name: 'an attribute without client. or check.',
      handler: { ...PIPE, group_by: ['rack'] },
      expectedProblem: 'client.datacenter',
    },
    {
      name: 'a duplicate attribute',
      handler: { ...PIPE, group_by: ['client', 'client'] },
      expectedProblem: 'group_by: must not contain duplicates',
    },
    { name: 'a secret attribute', handler: { ...PIPE, group_by: ['client.password'] }, expectedProblem: 'secret' },
    {
      name: 'a repeat_interval shorter than group_interval',
      handler: { ...PIPE, group_by: [], repeat_interval: 60 },
      expectedProblem: 'repeat_interval: must not be shorter than group_interval',
    },
    {
      name: 'a mutator for single events',
      handler: { ...PIPE, group_by: [], mutator: 'only_check_output' },
      expectedProblem: 'only_check_output handles single events',
    },
  ])('the schema rejects a handler with group_by: $name', ({ handler, expectedProblem }) => {
    expect(problems(handler)).toContain(expectedProblem);
  });

  test('all other options are accepted for a handler with group_by', () => {
    const times = { group_wait: 0, group_interval: 1, repeat_interval: 0, group_limit: 1000 };
    expect(problems({ ...PIPE, group_by: ['client', 'check.labels.team', 'subscription'], ...times })).toBe('');
    expect(problems(PIPE)).toBe('');
  });
});
