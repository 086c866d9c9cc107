import { describe, expect, test } from 'vitest';
import type { FormStep } from '../../../../tui/form/form.ts';
import { nextSilenceForm, openSilenceForm, silenceFields } from '../../../../tui/screens/silences/form.ts';
import type { Target } from '../../../../tui/model/target.ts';
import type { SilenceForm } from '../../../../tui/state/layers/silence.ts';

const next: FormStep = { kind: 'field', by: 1 };
const previous: FormStep = { kind: 'field', by: -1 };
const right: FormStep = { kind: 'choose', by: 1 };
const left: FormStep = { kind: 'choose', by: -1 };

function target(client: string, check: string): Target {
  return { key: `${client}/${check}`, client, check };
}

const TWO = [target('a', 'disk'), target('b', 'disk')];

function play(form: SilenceForm, ...actions: readonly FormStep[]): SilenceForm {
  return actions.reduce(nextSilenceForm, form);
}

describe('the fields', () => {
  test('Tab moves through the fields and around, without the unchosen ones', () => {
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

  test('a subscription can be chosen only if the targets share one', () => {
    const none = { ...openSilenceForm(TWO, []), field: 'scope' as const };
    expect(play(none, left, left).scope).toBe('clients');
    const shared = { ...openSilenceForm(TWO, ['web']), field: 'scope' as const };
    expect(play(shared, left, left).scope).toBe('subscription');
  });

  test('the option "until it resolves" is on by default and independent of the duration', () => {
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

  test('any change clears the problem of the form', () => {
    const form = { ...openSilenceForm(TWO, []), problem: 'a reason is required' };
    expect(play(form, { kind: 'edit', edit: { kind: 'insert', text: 'x' } }).problem).toBeUndefined();
    expect(play(form, previous).problem).toBeUndefined();
  });
});
