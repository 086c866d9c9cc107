import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { frameOfRows, type Drawing } from '../../../tui/terminal/frame-of-rows.ts';
import { propertyRuns } from '../../support/property-runs.ts';

/** The output class of Ink, which the build patches so that it calls `frameOfRows` first. */
interface Output {
  readonly operations: Drawing[];
  get(): { readonly output: string; readonly height: number };
}

const file = join(import.meta.dirname, '../../../node_modules/ink/build/output.js');
const { default: InkOutput } = (await import(pathToFileURL(file).href)) as {
  readonly default: new (size: { readonly width: number; readonly height: number }) => Output;
};

const SIZE = { width: 30, height: 4 };

function inkFrame(drawings: readonly Drawing[]): string {
  const output = new InkOutput(SIZE);
  output.operations.push(...drawings);
  return output.get().output;
}

function write(x: number, y: number, text: string, transformers: ((line: string) => string)[] = []): Drawing {
  return { type: 'write', x, y, text, transformers };
}

const CUT_TO_TWO: Drawing = { type: 'clip', clip: { y1: 0, y2: 2 } };
const red = (line: string): string => `\u001B[31m${line}\u001B[39m`;

describe('a frame that is drawn row by row', () => {
  test.each<[name: string, drawings: readonly Drawing[]]>([
    ['no row', []],
    ['rows with styles', [write(0, 0, 'web-1  \u001B[1m\u001B[31mCRIT\u001B[39m\u001B[22m'), write(0, 2, '日本 …')]],
    ['spaces at the end', [write(0, 0, 'web-1   '), write(0, 1, '\u001B[7mweb-2   \u001B[27m')]],
    ['an indented row', [write(4, 1, 'web-1')]],
    ['two texts in one row', [write(0, 1, '日本'), write(10, 1, 'web-1')]],
    ['a style of the element', [write(0, 0, 'web-1', [red])]],
    ['rows outside of the screen', [write(0, -1, 'a'), write(0, 0, 'b'), write(0, 4, 'c')]],
    ['rows that are cut off', [CUT_TO_TWO, write(0, 1, 'a'), write(0, 2, 'b'), { type: 'unclip' }, write(0, 3, 'c')]],
  ])('a frame that is drawn row by row equals the frame of Ink: %s', (_, drawings) => {
    expect(frameOfRows(drawings, SIZE.height)).toBe(inkFrame(drawings));
  });
});

test.each<[name: string, drawings: readonly Drawing[]]>([
  ['a text covers a part of a row', [write(0, 0, 'a long row'), write(2, 0, 'dialog')]],
  ['a text has several rows', [write(0, 0, 'a\nb')]],
  ['a text has several rows, some of which are cut off', [write(0, -1, 'a\nb')]],
  [
    'rows are clipped at the sides',
    [{ type: 'clip', clip: { x1: 0, x2: 3 } }, write(0, 0, 'abcdef'), { type: 'unclip' }],
  ],
  ['a text contains an invisible character', [write(0, 0, 'a\u2060b')]],
])('a frame is drawn by Ink instead of row by row: %s', (_, drawings) => {
  expect(frameOfRows(drawings, SIZE.height)).toBeUndefined();
});

/** Removes style changes without effect: Ink merges adjacent texts of the same style. */
function asSeen(frame: string): string {
  return frame.replaceAll('\u001B[22m\u001B[1m', '').replaceAll('\u001B[39m\u001B[31m', '');
}

test('a frame that the console draws row by row equals the frame that Ink would draw', () => {
  const text = fc.oneof(
    fc.string({ maxLength: 6, unit: 'grapheme-ascii' }),
    fc.constantFrom('日', '\u001B[1mb\u001B[22m', '\u001B[31m \u001B[39m', '…', 'a  ', '\n'),
  );
  const drawing: fc.Arbitrary<Drawing> = fc.oneof(
    { weight: 8, arbitrary: fc.tuple(fc.nat(20), fc.integer({ min: -1, max: 4 }), text).map((at) => write(...at)) },
    { weight: 1, arbitrary: fc.constantFrom<Drawing>(CUT_TO_TWO, { type: 'unclip' }) },
  );
  fc.assert(
    fc.property(fc.array(drawing, { maxLength: 6 }), (drawings) => {
      const frame = frameOfRows(drawings, SIZE.height);
      expect([undefined, asSeen(inkFrame(drawings))]).toContain(frame === undefined ? undefined : asSeen(frame));
    }),
    { numRuns: propertyRuns(300) },
  );
});
