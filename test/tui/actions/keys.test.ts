import { ACTIONS_BY_NAME } from '../../../tui/actions/all.ts';
import { describe, expect, test } from 'vitest';
import { actionOfKey, allBindings, chordOf, keyLabel } from '../../../tui/state/keys.ts';
import { VIEWS } from '../../../tui/state/view-names.ts';
import type { KeyContext } from '../../../tui/state/key-context.ts';

const CONTEXTS: readonly KeyContext[] = [
  ...VIEWS.map(({ name }) => name),
  ...(['detail', 'inspect', 'handling', 'dead-letter', 'silence-entry', 'log', 'help'] as const),
  ...(['confirm', 'form', 'prompt', 'search', 'menu', 'command'] as const),
];

const plain = { ctrl: false, meta: false, shift: false };

test.each(CONTEXTS)('no key has two actions in the context %s', (context) => {
  const keys = allBindings()
    .filter(([, binding]) => binding.in.includes(context))
    .flatMap(([, binding]) => binding.keys);
  expect(keys).toEqual([...new Set(keys)]);
});

test('each action of the key table works in each of its contexts and in no other context', () => {
  const wrong = [...ACTIONS_BY_NAME.values()].filter(({ in: places, run }) => {
    if (typeof run === 'function') return false;
    const runs = Object.keys(run).toSorted();
    return runs.join(' ') !== places.toSorted().join(' ');
  });
  expect(wrong.map(({ name }) => name)).toEqual([]);
});

test.each([
  { name: 'a letter', key: { ...plain, name: 'j', text: 'j' }, chord: 'j' },
  { name: 'a capital letter (without shift-)', key: { ...plain, name: 'G', text: 'G' }, chord: 'G' },
  { name: 'a control key', key: { ...plain, name: 'd', ctrl: true }, chord: 'ctrl-d' },
  { name: 'a named key with shift', key: { ...plain, name: 'tab', shift: true }, chord: 'shift-tab' },
  { name: 'the space bar', key: { ...plain, name: 'space', text: ' ' }, chord: 'space' },
  { name: 'a meta key', key: { ...plain, name: 'b', meta: true }, chord: 'meta-b' },
])('the chord of $name is $chord', ({ key, chord }) => {
  expect(chordOf(key)).toBe(chord);
});

test('keys that are typed into a text field enter text and execute no command', () => {
  for (const name of ['s', 'r', 'q', 'j', '?', '!', 'p']) {
    expect(actionOfKey('prompt', { ...plain, name, text: name })).toBeUndefined();
    expect(actionOfKey('form', { ...plain, name, text: name })).toBeUndefined();
  }
});

describe('the help', () => {
  test('the help shows the names of keys in readable form', () => {
    expect(['ctrl-d', 'space', 'pagedown', 'shift-tab', 'j'].map(keyLabel)).toEqual([
      'Ctrl-D',
      'Space',
      'PgDn',
      'Shift-Tab',
      'j',
    ]);
  });
});
