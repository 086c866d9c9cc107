import { describe, expect, test } from 'vitest';
import { handlerSchema } from '../../../shared/schemas/handler.ts';
import { v2HandlerSchema } from '../../../shared/schemas/v2/handler.ts';
import { handlerDefinitionOf, v2HandlerOf } from '../../../shared/domain/v2/handler.ts';

const STEP = { notify: ['chat'] };

function problems(steps: unknown): string[] {
  const parsed = handlerSchema.safeParse({ type: 'escalation', steps });
  return (parsed.error?.issues ?? []).map(({ path, message }) => `${path.join('.')}: ${message}`);
}

describe('the definition of an escalation (on-call 2)', () => {
  test('durations are seconds, or numbers with units', () => {
    const steps = [
      STEP,
      { ...STEP, after: '10m' },
      { ...STEP, after: '1h30m' },
      { ...STEP, after: 7200, repeat: '15m' },
    ];
    expect(handlerSchema.parse({ type: 'escalation', steps })).toEqual({
      type: 'escalation',
      steps: [STEP, { ...STEP, after: 600 }, { ...STEP, after: 5400 }, { ...STEP, after: 7200, repeat: 900 }],
    });
  });

  test.each<{ name: string; steps: unknown; expected: RegExp }>([
    { name: 'steps are required', steps: undefined, expected: /^steps: / },
    { name: 'an escalation has at least one step', steps: [], expected: /^steps: .*>=1/ },
    {
      name: 'an escalation has at most 10 steps',
      steps: Array.from({ length: 11 }, (_, at) => ({ ...STEP, after: at + 1 })),
      expected: /^steps: .*<=10/,
    },
    { name: 'a step notifies at least one handler', steps: [{ notify: [] }], expected: /^steps\.0\.notify: .*>=1/ },
    {
      name: 'a step notifies at most 20 handlers',
      steps: [{ notify: Array.from({ length: 21 }, (_, at) => `h${String(at)}`) }],
      expected: /^steps\.0\.notify: .*<=20/,
    },
    {
      name: 'every step but the first has a time',
      steps: [STEP, STEP],
      expected: /^steps\.1\.after: is required for every step but the first$/,
    },
    {
      name: 'the steps are in the order of their times',
      steps: [
        { ...STEP, after: '10m' },
        { ...STEP, after: '10m' },
      ],
      expected: /^steps\.1\.after: must be later than the step before/,
    },
    {
      name: 'a time is a duration',
      steps: [STEP, { ...STEP, after: 'soon' }],
      expected: /^steps\.1\.after: must be a number of seconds, or a duration such as 10m or 1h30m$/,
    },
    {
      name: 'a time is at most a week',
      steps: [STEP, { ...STEP, after: '8d' }],
      expected: /^steps\.1\.after: .*604800/,
    },
    {
      name: 'only the last step is repeated',
      steps: [
        { ...STEP, repeat: '5m' },
        { ...STEP, after: '10m' },
      ],
      expected: /^steps\.0\.repeat: is only allowed for the last step$/,
    },
    {
      name: 'a step is repeated at most once a minute',
      steps: [{ ...STEP, repeat: 59 }],
      expected: /^steps\.0\.repeat: must be at least 60 seconds$/,
    },
    { name: 'a step has no unknown attributes', steps: [{ ...STEP, wait: 5 }], expected: /^steps\.0: .*wait/ },
  ])('$name', ({ steps, expected }) => {
    expect(problems(steps)).toEqual([expect.stringMatching(expected)]);
  });

  test('an escalation cannot be grouped', () => {
    const parsed = handlerSchema.safeParse({ type: 'escalation', steps: [STEP], group_by: ['client'] });
    expect(parsed.error?.issues.map(({ message }) => message)).toEqual([
      'needs a handler of type pipe, webhook or email, and this one is escalation',
    ]);
  });

  test('a v2 handler is an escalation by its attribute mon, and the v2 form of an escalation is valid again', () => {
    const steps = [STEP, { ...STEP, after: '10m' }];
    const stored = v2HandlerSchema.parse({
      metadata: { name: 'page', namespace: 'default' },
      type: 'pipe',
      filters: ['is_incident'],
      mon: { type: 'escalation', steps },
    });
    const definition = handlerDefinitionOf(stored as Parameters<typeof handlerDefinitionOf>[0]);
    expect(definition).toMatchObject({ type: 'escalation', steps: [STEP, { ...STEP, after: 600 }] });
    const shown = v2HandlerOf('default', 'page', handlerSchema.parse({ type: 'escalation', steps }));
    expect(v2HandlerSchema.parse(shown)).toMatchObject({
      type: 'pipe',
      mon: { type: 'escalation', steps: [STEP, { ...STEP, after: 600 }] },
    });
  });
});
