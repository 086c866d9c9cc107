import { describe, expect, test } from 'vitest';
import { silencePolicy } from '../../../support/silence-policy.ts';
import type { FormStep } from '../../../../tui/form/form.ts';
import { lineOf } from '../../../../tui/text/line-editor.ts';
import {
  nextSilenceForm,
  openSilenceForm,
  silenceFields,
  silenceSubmission,
} from '../../../../tui/screens/silences/form.ts';
import type { Target } from '../../../../tui/model/target.ts';
import type { SilenceForm } from '../../../../tui/state/layers/silence.ts';

const next: FormStep = { kind: 'field', by: 1 };
const previous: FormStep = { kind: 'field', by: -1 };
const right: FormStep = { kind: 'choose', by: 1 };
const left: FormStep = { kind: 'choose', by: -1 };

function target(client: string, check: string): Target {
  return { key: `${client}/${check}`, client, check };
}

const ABOUT = { creator: 'alice', policy: silencePolicy(), nowMs: Date.UTC(2026, 10, 20, 22) };

const TWO = [target('a', 'disk'), target('b', 'disk')];

function play(form: SilenceForm, ...actions: readonly FormStep[]): SilenceForm {
  return actions.reduce(nextSilenceForm, form);
}

describe('what is posted', () => {
  test.each<{ name: string; targets: readonly Target[]; change: Partial<SilenceForm>; expected: readonly object[] }>([
    {
      name: 'pairs: one entry for each',
      targets: TWO,
      change: {},
      expected: [
        { subscription: 'client:a', check: 'disk' },
        { subscription: 'client:b', check: 'disk' },
      ],
    },
    {
      name: 'a check everywhere: one entry, however many events',
      targets: TWO,
      change: { scope: 'checks' },
      expected: [{ check: 'disk' }],
    },
    {
      name: 'clients: one entry for each client, however many of its checks',
      targets: [...TWO, target('a', 'cpu')],
      change: { scope: 'clients' },
      expected: [{ subscription: 'client:a' }, { subscription: 'client:b' }],
    },
    {
      name: 'a subscription',
      targets: TWO,
      change: { scope: 'subscription', subscription: 1 },
      expected: [{ subscription: 'web' }],
    },
    { name: 'a preset', targets: [target('a', 'disk')], change: { duration: 5 }, expected: [{ expire: 86_400 }] },
    {
      name: 'a typed duration',
      targets: [target('a', 'disk')],
      change: { duration: 6, custom: lineOf(' 1d12h ') },
      expected: [{ expire: 129_600 }],
    },
    {
      name: 'not only until it resolves',
      targets: [target('a', 'disk')],
      change: { onResolve: false },
      expected: [{ expire: 3600, expire_on_resolve: false, reason: 'why', creator: 'alice' }],
    },
  ])('$name', ({ targets, change, expected }) => {
    const form = { ...openSilenceForm(targets, ['linux', 'web']), reason: lineOf(' why '), ...change };
    expect(silenceSubmission(form, ABOUT)).toMatchObject({ kind: 'ready', entries: expected });
  });

  test.each([
    { name: 'no reason', change: { reason: lineOf('  ') }, field: 'reason' },
    { name: 'no duration', change: { duration: 6 }, field: 'custom' },
    { name: 'a duration that is none', change: { duration: 6, custom: lineOf('soon') }, field: 'custom' },
    { name: 'no time at all', change: { duration: 6, custom: lineOf('0') }, field: 'custom' },
  ])('$name is asked for, where it belongs', ({ change, field }) => {
    const form = { ...openSilenceForm(TWO, []), reason: lineOf('why'), ...change };
    expect(silenceSubmission(form, ABOUT)).toMatchObject({ kind: 'incomplete', field });
  });
});

describe('the fields', () => {
  test('Tab goes through them and around, unchosen ones left out', () => {
    const form = openSilenceForm(TWO, ['web']);
    expect(silenceFields(form)).toEqual(['scope', 'expires', 'on-resolve', 'starts', 'reason', 'cancel', 'submit']);
    expect(play(form, next, next, next).field).toBe('scope');
    expect(silenceFields({ ...form, scope: 'subscription', duration: 6, starts: 'at' })).toEqual([
      'scope',
      'subscription',
      'expires',
      'custom',
      'on-resolve',
      'starts',
      'at',
      'reason',
      'cancel',
      'submit',
    ]);
  });

  test('a subscription can only be chosen where the targets share one', () => {
    const none = { ...openSilenceForm(TWO, []), field: 'scope' as const };
    expect(play(none, left, left).scope).toBe('clients');
    const shared = { ...openSilenceForm(TWO, ['web']), field: 'scope' as const };
    expect(play(shared, left, left).scope).toBe('subscription');
  });

  test('until it resolves is on at first, and is independent of the duration', () => {
    const form = openSilenceForm(TWO, []);
    expect(form.onResolve).toBe(true);
    const at = { ...form, field: 'on-resolve' as const };
    expect(play(at, { kind: 'toggle' })).toMatchObject({ onResolve: false, duration: form.duration });
    expect(play(at, right, right).onResolve).toBe(true);
  });

  test('presets are chosen by arrows and by number, and only at their field', () => {
    const form = { ...openSilenceForm(TWO, []), field: 'expires' as const };
    expect(play(form, right).duration).toBe(2);
    expect(play(form, { kind: 'preset', number: 5 }).duration).toBe(4);
    expect(play(form, { kind: 'preset', number: 9 }).duration).toBe(form.duration);
    expect(play({ ...form, field: 'reason' }, { kind: 'preset', number: 5 }).duration).toBe(form.duration);
  });

  test('any change takes the complaint away', () => {
    const form = { ...openSilenceForm(TWO, []), problem: 'a reason is required: type why' };
    expect(play(form, { kind: 'edit', edit: { kind: 'insert', text: 'x' } }).problem).toBeUndefined();
    expect(play(form, previous).problem).toBeUndefined();
  });
});
