import { describe, expect, test } from 'vitest';
import { bindings, chordOf, keyOfChord, type KeyContext } from '../../../tui/keys.ts';
import { CONTEXT_TITLES, helpLines, keyMapLines } from '../../../tui/store/help-lines.ts';
import { openOverviewScene } from '../../support/overview-scene.ts';
import { expectGolden } from '../../support/screen.ts';

test.each(Object.keys(CONTEXT_TITLES) as readonly KeyContext[])(
  'the help of %s has each of its keys once',
  (context) => {
    const explained = helpLines(context).flatMap((line) => (line.kind === 'binding' ? [line.action] : []));
    const bound = bindings().flatMap(([action, binding]) => (binding.in.includes(context) ? [action] : []));
    expect(explained.toSorted()).toEqual(bound.toSorted());
  },
);

test('the map of all keys has every binding once', () => {
  const explained = keyMapLines().flatMap((line) => (line.kind === 'binding' ? [line.action] : []));
  expect(explained.toSorted()).toEqual(
    bindings()
      .map(([action]) => action)
      .toSorted(),
  );
});

test('every chord can be made a key again', () => {
  const chords = bindings().flatMap(([, { keys }]): readonly string[] => keys);
  expect(chords.map((chord) => chordOf(keyOfChord(chord)))).toEqual(chords);
});

test.each([
  { columns: 100, rows: 30 },
  { columns: 200, rows: 50 },
])('the help at $columns x $rows', async ({ columns, rows }) => {
  const rig = await openOverviewScene({ columns, rows });
  rig.type('?');
  await rig.shows('mon: keys of events');
  await expectGolden(rig.screen, `help-${String(columns)}x${String(rows)}`);
  expect(rig.screen.lines.at(-1)).toContain('do it');
});

test.each([
  { name: 'help-color', theme: { color: true, ascii: false }, styled: true },
  { name: 'help-mono', theme: { color: false, ascii: false }, styled: true },
  { name: 'help-ascii', theme: { color: true, ascii: true }, styled: false },
])('$name', async ({ name, theme, styled }) => {
  const rig = await openOverviewScene({ theme });
  rig.type('?');
  await rig.shows('mon: keys of events');
  await expectGolden(rig.screen, name, { styled });
  expect(rig.screen.text).toContain('filter');
});

describe('the help', () => {
  test('is about the place it was opened from', async () => {
    const rig = await openOverviewScene();
    rig.type('1?');
    await rig.shows('mon: keys of overview');
    expect(rig.screen.text).toContain('next box');
    expect(rig.screen.text).not.toContain('clear all marks');
  });

  test('is searched, and Enter does what the line under the cursor says', async () => {
    const rig = await openOverviewScene();
    rig.type('?/column sort');
    await rig.showsNo('clear all marks');
    rig.type('\r\r');
    await rig.shows('Sort events by');
    expect(rig.screen.text).not.toContain('mon: keys');
  });

  test('does nothing that the key would not do', async () => {
    const rig = await openOverviewScene({ readOnly: true });
    rig.type('?/silence the marked\r\r');
    await rig.shows('s does nothing');
    expect(rig.row('s does nothing')).toContain('--read-only');
  });

  test('goes from key to key, over the headings', async () => {
    const rig = await openOverviewScene();
    rig.type('?G');
    await rig.shows(/> (?:q|Ctrl-C)/);
    rig.type('g');
    await rig.shows(/^ > s /m);
    expect(rig.screen.lines.filter((line) => line.startsWith(' > '))).toHaveLength(1);
  });

  test('Esc clears the search first, and then closes it', async () => {
    const rig = await openOverviewScene();
    rig.type('?/nothing is like this\r');
    await rig.shows('No key matches');
    rig.escape();
    await rig.shows('clear all marks');
    rig.escape();
    await rig.showsNo('mon: keys');
    expect(rig.screen.text).toContain('[2 Events]');
  });
});
