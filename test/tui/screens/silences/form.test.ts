import { describe, expect, test } from 'vitest';
import type { FormStep } from '../../../../tui/form/form.ts';
import {
  endsOnResolve,
  nextSilenceForm,
  openSilenceForm,
  silenceFields,
  silenceSeconds,
} from '../../../../tui/screens/silences/form.ts';
import { lineOf } from '../../../../tui/text/line-editor.ts';
import type { EventTarget } from '../../../../tui/model/target.ts';
import type { SilenceForm } from '../../../../tui/state/layers/silence.ts';

const next: FormStep = { kind: 'field', by: 1 };
const previous: FormStep = { kind: 'field', by: -1 };
const right: FormStep = { kind: 'choose', by: 1 };
const left: FormStep = { kind: 'choose', by: -1 };

function target(client: string, check: string): EventTarget {
  return { key: `${client}/${check}`, client, check };
}

const TWO = [target('a', 'disk'), target('b', 'disk')];

function play(form: SilenceForm, ...actions: readonly FormStep[]): SilenceForm {
  return actions.reduce(nextSilenceForm, form);
}

describe('the fields of the silence dialog', () => {
  test('Tab moves through the fields of the silence dialog and around, and skips fields that do not apply', () => {
    const form = openSilenceForm(TWO, ['web']);
    expect(silenceFields(form)).toEqual(['scope', 'expires', 'on-resolve', 'starts', 'reason', 'submit', 'cancel']);
    expect(play(form, next, next, next).field).toBe('scope');
    expect(silenceFields({ ...form, scope: 'subscription', duration: 7, starts: 'at' })).toEqual([
      'scope',
      'subscription',
      'expires',
      'custom',
      'on-resolve',
      'starts',
      'at',
      'reason',
      'submit',
      'cancel',
    ]);
  });

  test('the silence dialog offers a subscription only if all targets share one', () => {
    const none = { ...openSilenceForm(TWO, []), field: 'scope' as const };
    expect(play(none, left, left).scope).toBe('clients');
    const shared = { ...openSilenceForm(TWO, ['web']), field: 'scope' as const };
    expect(play(shared, left, left).scope).toBe('subscription');
  });

  test('the silence dialog sets expire_on_resolve by default only for single events without a later start', () => {
    const form = openSilenceForm(TWO, ['web']);
    expect(endsOnResolve(form)).toBe(true);
    for (const scope of ['checks', 'clients', 'subscription', 'search'] as const) {
      expect(endsOnResolve({ ...form, scope, selector: lineOf('check=disk') })).toBe(false);
    }
    expect(endsOnResolve({ ...form, starts: 'at' })).toBe(false);
  });

  test('the choice of the user whether a silence ends on resolve stays, whatever scope is chosen', () => {
    const at = { ...openSilenceForm(TWO, []), field: 'on-resolve' as const };
    expect(play(at, { kind: 'toggle' })).toMatchObject({ onResolve: false, duration: at.duration });
    const ticked = play({ ...at, scope: 'checks' }, { kind: 'toggle' });
    expect([endsOnResolve(ticked), endsOnResolve({ ...ticked, scope: 'pairs' })]).toEqual([true, true]);
  });

  test('durations of the silence dialog are chosen by arrow keys, and a typed duration goes to its field', () => {
    const form = { ...openSilenceForm(TWO, []), field: 'expires' as const };
    expect(play(form, right).duration).toBe(2);
    const typed = play(form, { kind: 'type', text: '9' }, { kind: 'edit', edit: { kind: 'insert', text: '0m' } });
    expect([typed.field, typed.custom.text, silenceSeconds(typed, 0)]).toEqual(['custom', '90m', 5400]);
    expect(play({ ...form, field: 'scope' }, { kind: 'type', text: '5' })).toMatchObject({
      scope: 'pairs',
      duration: 1,
    });
  });

  test('a start that is typed on the choices of the silence dialog goes to its field', () => {
    const form = { ...openSilenceForm(TWO, []), field: 'starts' as const };
    expect(play(form, { kind: 'type', text: '2' })).toMatchObject({ starts: 'at', field: 'at', at: { text: '2' } });
  });

  test('any change in the silence dialog clears its problem', () => {
    const form = { ...openSilenceForm(TWO, []), problem: 'a reason is required' };
    expect(play(form, { kind: 'edit', edit: { kind: 'insert', text: 'x' } }).problem).toBeUndefined();
    expect(play(form, previous).problem).toBeUndefined();
  });
});
