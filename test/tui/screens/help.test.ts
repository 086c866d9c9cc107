import '../../../tui/actions/all.ts';
import { describe, expect, test } from 'vitest';
import { allBindings, chordOf, type KeyPress } from '../../../tui/state/keys.ts';
import { CONTEXT_TITLES, helpLines } from '../../../tui/screens/help/lines.ts';
import { openOverviewScene } from '../../support/overview-scene.ts';
import type { KeyContext } from '../../../tui/state/key-context.ts';

test.each(Object.keys(CONTEXT_TITLES) as readonly KeyContext[])(
  'the help of %s lists each of its keys once',
  (context) => {
    const explained = helpLines(context).flatMap((line) => (line.kind === 'binding' ? [line.action] : []));
    const bound = allBindings().flatMap(([action, binding]) => (binding.in.includes(context) ? [action] : []));
    expect(explained.toSorted()).toEqual(bound.toSorted());
  },
);

/** Returns the key press for a chord such as `ctrl-a`. */
function keyOfChord(chord: string): KeyPress {
  const [, modifiers = '', name = ''] = /^((?:ctrl-|meta-|shift-)*)(.+)$/.exec(chord) ?? [];
  const ctrl = modifiers.includes('ctrl-');
  const meta = modifiers.includes('meta-');
  const text = name === 'space' ? ' ' : name.length === 1 ? name : undefined;
  const isText = text !== undefined && !ctrl && !meta;
  return { name, ctrl, meta, shift: modifiers.includes('shift-'), ...(isText ? { text } : {}) };
}

test('the name of every key is converted back to the same key', () => {
  const chords = allBindings().flatMap(([, { keys }]): readonly string[] => keys);
  expect(chords.map((chord) => chordOf(keyOfChord(chord)))).toEqual(chords);
});

describe('the help', () => {
  test('the help lists the keys of the context from which it was opened', async () => {
    const rig = await openOverviewScene();
    rig.type('1?');
    await rig.shows('mon: key bindings for overview');
    expect(rig.screen.text).toContain('next box');
    expect(rig.screen.text).not.toContain('clear all marks');
  });

  test('the help can be searched, and Enter executes the action under the cursor', async () => {
    const rig = await openOverviewScene();
    rig.type('?/column sort');
    await rig.showsNo('clear all marks');
    rig.type('\r\r');
    await rig.shows('Sort events by');
    expect(rig.screen.text).not.toContain('mon: key bindings');
  });

  test('the help executes an action only if the key would execute the action too', async () => {
    const rig = await openOverviewScene({ readOnly: true });
    rig.type('?/silence the marked\r\r');
    await rig.shows('s is disabled');
    expect(rig.row('s is disabled')).toContain('--read-only');
  });

  test('the cursor of the help skips the headings', async () => {
    const rig = await openOverviewScene();
    rig.type('?G');
    await rig.shows(/> (?:q|Ctrl-C)/);
    rig.type('g');
    await rig.shows(/^ > s /m);
    expect(rig.screen.lines.filter((line) => line.startsWith(' > '))).toHaveLength(1);
  });

  test('Esc clears the search of the help first and then closes it', async () => {
    const rig = await openOverviewScene();
    rig.type('?/nothing is like this\r');
    await rig.shows('No key matches');
    rig.escape();
    await rig.shows('clear all marks');
    rig.escape();
    await rig.showsNo('mon: key bindings');
    expect(rig.screen.text).toContain('[2 Events]');
  });
});
