import { safeLine } from '../../shared/domain/terminal-text.ts';
import type { LineEditor } from '../store/line-editor.ts';
import { cellWidth } from '../terminal/cells.ts';
import { run, type Run } from '../theme.ts';

/** A line being edited in at most `width` cells, scrolled so that the caret is in view. */
export function fieldRuns(line: LineEditor, width: number, focused: boolean): readonly Run[] {
  const characters = [...line.text.slice(line.caret)];
  const under = characters[0] ?? ' ';
  let before = safeLine(line.text.slice(0, line.caret));
  const room = Math.max(1, width - 1);
  while (cellWidth(before) > room) before = [...before].slice(1).join('');
  const caret = safeLine(under);
  let after = safeLine(characters.slice(1).join(''));
  const left = Math.max(0, width - cellWidth(before) - cellWidth(caret));
  while (cellWidth(after) > left) after = [...after].slice(0, -1).join('');
  return [run(before), run(caret, focused ? 'cursor' : 'plain'), run(after)];
}
