import { describe, expect, test } from 'vitest';
import { openSilenceForm } from '../../../../tui/screens/silences/form.ts';
import { silenceSubmission } from '../../../../tui/screens/silences/submission.ts';
import { lineOf } from '../../../../tui/text/line-editor.ts';
import type { EventTarget } from '../../../../tui/model/target.ts';
import type { SilenceForm } from '../../../../tui/state/layers/silence.ts';
import { silencePolicy } from '../../../support/silence-policy.ts';

function target(client: string, check: string): EventTarget {
  return { key: `${client}/${check}`, client, check };
}

const ABOUT = { creator: 'alice', policy: silencePolicy(), nowMs: Date.UTC(2026, 10, 20, 22) };

const TWO = [target('a', 'disk'), target('b', 'disk')];

describe('the silences that the silence dialog sends', () => {
  test.each<{
    name: string;
    targets: readonly EventTarget[];
    change: Partial<SilenceForm>;
    expected: readonly object[];
  }>([
    {
      name: 'one silence for each pair of client and check',
      targets: TWO,
      change: {},
      expected: [
        { subscription: 'client:a', check: 'disk' },
        { subscription: 'client:b', check: 'disk' },
      ],
    },
    {
      name: 'one silence for a check on all clients, however many events are selected',
      targets: TWO,
      change: { scope: 'checks' },
      expected: [{ check: 'disk' }],
    },
    {
      name: 'one silence for each client, however many of its checks are selected',
      targets: [...TWO, target('a', 'cpu')],
      change: { scope: 'clients' },
      expected: [{ subscription: 'client:a' }, { subscription: 'client:b' }],
    },
    {
      name: 'a silence of a subscription',
      targets: TWO,
      change: { scope: 'subscription', subscription: 1 },
      expected: [{ subscription: 'web' }],
    },
    {
      name: 'a silence with a preset duration',
      targets: [target('a', 'disk')],
      change: { duration: 6 },
      expected: [{ expire: 86_400 }],
    },
    {
      name: 'a silence with a typed duration',
      targets: [target('a', 'disk')],
      change: { duration: 7, custom: lineOf(' 1d12h ') },
      expected: [{ expire: 129_600 }],
    },
    {
      name: 'a silence without expire_on_resolve',
      targets: [target('a', 'disk')],
      change: { onResolve: false },
      expected: [{ expire: 3600, expire_on_resolve: false, reason: 'why', creator: 'alice' }],
    },
  ])('the silence dialog sends $name', ({ targets, change, expected }) => {
    const form = { ...openSilenceForm(targets, ['linux', 'web']), reason: lineOf(' why '), ...change };
    expect(silenceSubmission(form, ABOUT)).toMatchObject({ kind: 'ready', entries: expected });
  });

  test.each([
    { name: 'no reason', change: { reason: lineOf('  ') }, field: 'reason' },
    { name: 'no duration', change: { duration: 7 }, field: 'custom' },
    { name: 'an invalid duration', change: { duration: 7, custom: lineOf('soon') }, field: 'custom' },
    { name: 'a duration of 0', change: { duration: 7, custom: lineOf('0') }, field: 'custom' },
  ])('the silence dialog with $name is incomplete and moves to that field', ({ change, field }) => {
    const form = { ...openSilenceForm(TWO, []), reason: lineOf('why'), ...change };
    expect(silenceSubmission(form, ABOUT)).toMatchObject({ kind: 'incomplete', field });
  });
});
