import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { highlightWords, matchingLines, matchText, nextMatch } from '../../../tui/form/text-search.ts';
import { EMPTY_LINE } from '../../../tui/text/line-editor.ts';
import type { SearchField } from '../../../tui/state/search-field.ts';
import { run } from '../../../tui/text/theme.ts';
import { openRig, type ConsoleRig } from '../../support/console-rig.ts';
import { SCENE, SCENE_EVENTS } from '../../support/console-scene.ts';
import { anEvent } from '../../support/an-event.ts';

function searchFor(text: string): SearchField {
  return { line: { ...EMPTY_LINE, text }, isOpen: false };
}

test.each([
  ['', []],
  ['disk', [0, 2]],
  ['DISK full', [2]],
  ['nothing', []],
])('the text search finds the lines that contain %j', (text, expected) => {
  const lines = [[run('the disk')], [run('the net')], [run('disk'), run(' is Full')]];
  expect(matchingLines(lines, searchFor(text))).toEqual(expected);
});

test.each([
  [[2, 5, 9], 2, 1, 5],
  [[2, 5, 9], 9, 1, 2],
  [[2, 5, 9], 4, -1, 2],
  [[2, 5, 9], 2, -1, 9],
  [[], 2, 1, undefined],
] as const)(
  'the text search with matches at %j moves from line %d in direction %d to line %s',
  (matches, from, step, expected) => {
    expect(nextMatch(matches, from, step)).toBe(expected);
  },
);

test.each([
  [[], undefined, 'no match'],
  [[4], undefined, '1 match'],
  [[4, 8], undefined, '2 matches'],
  [[4, 8], 8, '2 of 2'],
])('the text search with matches at %j and the cursor at %s shows "%s"', (matches, at, expected) => {
  expect(matchText(matches, at)).toBe(expected);
});

test('the text search highlights every match, and no text of the line is lost', () => {
  expect(highlightWords([run('a Disk and a disk', 'faint')], searchFor('disk'), false)).toEqual([
    run('a ', 'faint'),
    run('Disk', 'strong'),
    run(' and a ', 'faint'),
    run('disk', 'strong'),
  ]);
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme' }),
      fc.string({ maxLength: 3 }),
      fc.boolean(),
      (text, words, isPresent) => {
        const line = highlightWords([run(text)], searchFor(words), isPresent);
        expect(line.map((piece) => piece.text).join('')).toBe(text);
      },
    ),
  );
});

describe('the search in a text screen', () => {
  const lines = Array.from({ length: 60 }, (_, at) =>
    at % 20 === 5 ? `row ${String(at)}: overdue` : `row ${String(at)}`,
  );

  async function openDetail(): Promise<ConsoleRig> {
    const [row] = SCENE_EVENTS;
    const event = anEvent({
      check: { name: row?.check ?? '', status: 2, output: lines.join('\n') },
    });
    const rig = await openRig({ columns: 80, rows: 24, snapshot: SCENE, api: () => ({ status: 200, body: event }) });
    await rig.shows('LIVE', 'db-014');
    rig.type('\r');
    await rig.shows('row 3');
    // Enter shows the whole output instead of its first lines.
    rig.type('\r');
    await rig.shows('row 12');
    return rig;
  }

  test('the key / searches a text screen, and n and N move between the matches and wrap around', async () => {
    const rig = await openDetail();
    rig.type('/overdue');
    await rig.shows('row 5: overdue', '1 of 3');
    rig.type('\r');
    await rig.shows('search: overdue', 'n next');
    rig.type('n');
    await rig.shows('row 25: overdue', '2 of 3');
    rig.type('nn');
    await rig.shows('row 5: overdue', '1 of 3');
    rig.type('N');
    await rig.shows('row 45: overdue', '3 of 3');
    rig.escape();
    await rig.shows('line ');
    expect(rig.screen.text).not.toContain('search:');
    rig.escape();
    await rig.shows('filter:');
  });

  test('the search in a text screen says that nothing was found or that no search is active', async () => {
    const rig = await openDetail();
    rig.type('n');
    await rig.shows('no search yet: press / to start one');
    rig.type('/nope');
    await rig.shows('no match');
    expect(rig.screen.text).not.toMatch(/\d of \d/);
  });

  test('the help and the log can be searched like other text screens', async () => {
    const rig = await openDetail();
    rig.type('?/silence\rn');
    await rig.shows(/search: silence .* 2 of \d+/);
    rig.type('N');
    await rig.shows(/search: silence .* 1 of \d+/);
    expect(rig.screen.text).not.toContain('no match');
  });
});
