/** A line of text that is being edited. Positions count UTF-16 units and are never inside a surrogate pair. */
export interface LineEditor {
  readonly text: string;
  readonly caret: number;
  /** True if all of the text is selected: the next insertion or deletion replaces it. Default false. */
  readonly isSelected?: true;
}

export type LineEdit =
  | { readonly kind: 'insert'; readonly text: string }
  | { readonly kind: 'move'; readonly to: 'left' | 'right' | 'word-left' | 'word-right' | 'start' | 'end' }
  | { readonly kind: 'delete'; readonly what: 'left' | 'right' | 'word-left' | 'to-start' | 'to-end' };

/**
 * Maximum length of a typed or pasted line in UTF-16 units: the limit of the search language, and sufficient for the
 * reason of a silence.
 */
export const LINE_MAX = 1024;

export const EMPTY_LINE: LineEditor = { text: '', caret: 0 };

export function lineOf(text: string): LineEditor {
  return { text, caret: text.length };
}

/** Returns a line whose text is selected, so that typing replaces the text and moving the caret keeps it. */
export function selectedLine(text: string): LineEditor {
  return text === '' ? EMPTY_LINE : { ...lineOf(text), isSelected: true };
}

/**
 * Returns the line after an edit. Pasted line ends and other control characters become spaces, so that they
 * have no effect.
 */
export function editLine(line: LineEditor, edit: LineEdit): LineEditor {
  const { text, caret, isSelected } = line;
  if (isSelected === true && edit.kind !== 'move')
    return edit.kind === 'delete' ? EMPTY_LINE : editLine(EMPTY_LINE, edit);
  switch (edit.kind) {
    case 'insert': {
      const available = LINE_MAX - text.length;
      const added = fitCharacters(edit.text.replaceAll(/\p{Cc}+/gu, ' '), available);
      return { text: text.slice(0, caret) + added + text.slice(caret), caret: caret + added.length };
    }
    case 'move':
      return { text, caret: caretTarget(line, edit.to) };
    case 'delete': {
      const [from, to] = deletedRange(line, edit.what);
      return { text: text.slice(0, from) + text.slice(to), caret: from };
    }
  }
}

function caretTarget({ text, caret }: LineEditor, to: Extract<LineEdit, { kind: 'move' }>['to']): number {
  switch (to) {
    case 'left':
      return caret - lengthOfLast(text.slice(0, caret));
    case 'right':
      return caret + lengthOfFirst(text.slice(caret));
    case 'word-left':
      return wordStart(text.slice(0, caret));
    case 'word-right':
      return caret + (/^\s*\S*/.exec(text.slice(caret))?.[0].length ?? 0);
    case 'start':
      return 0;
    case 'end':
      return text.length;
  }
}

function deletedRange(
  line: LineEditor,
  what: Extract<LineEdit, { kind: 'delete' }>['what'],
): readonly [number, number] {
  const { text, caret } = line;
  switch (what) {
    case 'left':
      return [caretTarget(line, 'left'), caret];
    case 'right':
      return [caret, caretTarget(line, 'right')];
    case 'word-left':
      return [wordStart(text.slice(0, caret)), caret];
    case 'to-start':
      return [0, caret];
    case 'to-end':
      return [caret, text.length];
  }
}

function wordStart(before: string): number {
  return before.trimEnd().lastIndexOf(' ') + 1;
}

function lengthOfFirst(text: string): number {
  return text.codePointAt(0) === undefined ? 0 : String.fromCodePoint(text.codePointAt(0) ?? 0).length;
}

function lengthOfLast(text: string): number {
  const last = text.charCodeAt(text.length - 1);
  if (text === '') return 0;
  return last >= 0xdc00 && last <= 0xdfff && text.length > 1 ? 2 : 1;
}

function fitCharacters(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const last = text.charCodeAt(maxLength - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? maxLength - 1 : Math.max(0, maxLength));
}
