import { safeLine } from '../../shared/domain/terminal-text.ts';
import type { LineEditor } from '../text/line-editor.ts';
import { cellWidth } from '../terminal/cells.ts';
import { run, type Run } from '../text/theme.ts';
import { splitGraphemes } from '../terminal/graphemes.ts';

/** Returns the text of a line editor in at most `width` cells, scrolled so that the caret is visible. */
export function fieldRuns(line: LineEditor, width: number, focused: boolean): readonly Run[] {
  if (line.isSelected === true && focused) return [run(lastThatFit(graphemesOf(line.text), width), 'cursor')];
  const before = graphemesOf(line.text.slice(0, line.caret));
  const [under = ' ', ...after] = graphemesOf(line.text.slice(line.caret));
  const caretCells = cellWidth(under);
  const head = lastThatFit(before, width - caretCells);
  const tail = firstThatFit(after, width - caretCells - cellWidth(head));
  return [run(head), run(under, focused ? 'cursor' : 'plain'), run(tail)];
}

function graphemesOf(text: string): string[] {
  return Array.from(splitGraphemes(safeLine(text)), ({ segment }) => segment);
}

function firstThatFit(all: readonly string[], cells: number): string {
  let text = '';
  let used = 0;
  for (const character of all) {
    used += cellWidth(character);
    if (used > cells) break;
    text += character;
  }
  return text;
}

function lastThatFit(all: readonly string[], cells: number): string {
  let text = '';
  let used = 0;
  for (const character of all.toReversed()) {
    used += cellWidth(character);
    if (used > cells) break;
    text = character + text;
  }
  return text;
}
