import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  editLine,
  LINE_MAX,
  lineOf,
  selectedLine,
  type LineEdit,
  type LineEditor,
} from '../../../tui/text/line-editor.ts';

/** Creates a line editor. In `a|b`, the caret is between `a` and `b`. */
function line(drawn: string): LineEditor {
  return { text: drawn.replace('|', ''), caret: drawn.indexOf('|') };
}

function picture({ text, caret }: LineEditor): string {
  return `${text.slice(0, caret)}|${text.slice(caret)}`;
}

test.each<{ name: string; before: string; edit: LineEdit; after: string }>([
  { name: 'an inserted character', before: 'ab|d', edit: { kind: 'insert', text: 'c' }, after: 'abc|d' },
  {
    name: 'pasted line ends, which become spaces',
    before: '|',
    edit: { kind: 'insert', text: 'a\r\nb\tc' },
    after: 'a b c|',
  },
  {
    name: 'a move to the left over a character of two UTF-16 units',
    before: 'a😀|b',
    edit: { kind: 'move', to: 'left' },
    after: 'a|😀b',
  },
  {
    name: 'a move to the right over a character of two UTF-16 units',
    before: 'a|😀b',
    edit: { kind: 'move', to: 'right' },
    after: 'a😀|b',
  },
  { name: 'a move to the left at the start', before: '|ab', edit: { kind: 'move', to: 'left' }, after: '|ab' },
  { name: 'a move to the right at the end', before: 'ab|', edit: { kind: 'move', to: 'right' }, after: 'ab|' },
  {
    name: 'a move by a word to the left',
    before: 'one two  |',
    edit: { kind: 'move', to: 'word-left' },
    after: 'one |two  ',
  },
  {
    name: 'a move by a word to the right',
    before: 'one| two three',
    edit: { kind: 'move', to: 'word-right' },
    after: 'one two| three',
  },
  { name: 'a move to the start', before: 'one|', edit: { kind: 'move', to: 'start' }, after: '|one' },
  { name: 'a move to the end', before: '|one', edit: { kind: 'move', to: 'end' }, after: 'one|' },
  { name: 'backspace', before: 'a😀|b', edit: { kind: 'delete', what: 'left' }, after: 'a|b' },
  { name: 'delete', before: 'a|😀b', edit: { kind: 'delete', what: 'right' }, after: 'a|b' },
  { name: 'the deletion of a word', before: 'one two|x', edit: { kind: 'delete', what: 'word-left' }, after: 'one |x' },
  {
    name: 'the deletion of the text before the cursor',
    before: 'one two|x',
    edit: { kind: 'delete', what: 'to-start' },
    after: '|x',
  },
  {
    name: 'the deletion of the text after the cursor',
    before: 'o|ne two',
    edit: { kind: 'delete', what: 'to-end' },
    after: 'o|',
  },
])('the line editor handles $name', ({ before, edit, after }) => {
  expect(picture(editLine(line(before), edit))).toBe(after);
});

test('the text in the line editor never exceeds its limit and never ends within a character', () => {
  const full = editLine(lineOf('x'.repeat(LINE_MAX - 1)), { kind: 'insert', text: '😀' });
  expect(full.text).toBe('x'.repeat(LINE_MAX - 1));
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme', maxLength: 400 }), { maxLength: 8 }), (pieces) => {
      const typed = pieces.reduce((text, piece) => editLine(text, { kind: 'insert', text: piece }), lineOf(''));
      expect(typed.text.length).toBeLessThanOrEqual(LINE_MAX);
      expect(typed.caret).toBe(typed.text.length);
    }),
  );
});

test.each<{ name: string; edit: LineEdit; after: string }>([
  { name: 'typing replaces it', edit: { kind: 'insert', text: 'x' }, after: 'x|' },
  { name: 'deleting to the left removes it', edit: { kind: 'delete', what: 'left' }, after: '|' },
  { name: 'a move of the caret keeps it', edit: { kind: 'move', to: 'end' }, after: 'one two|' },
])('a selected text is one unit: $name', ({ edit, after }) => {
  const edited = editLine(selectedLine('one two'), edit);
  expect([picture(edited), edited.isSelected]).toEqual([after, undefined]);
});
