import { safeLine } from '../../shared/domain/terminal-text.ts';
import type { ScreenSize } from '../state/console-state.ts';
import type { ConfirmLayer } from '../state/layers/confirm.ts';
import type { FieldsDialogLayer } from '../state/layers/fields-dialog.ts';
import { cellWidth } from '../terminal/cells.ts';
import { run, type Line } from '../text/theme.ts';
import { cutCells, wrapCells } from '../text/wrap-cells.ts';
import { buttonRun, dialogRows, dialogWidth, type DialogPage } from './dialog.tsx';
import { fieldRuns } from './text-field.ts';

/** Returns the dialog of a question with two buttons, or of a message with one button. */
export function confirmDialog(layer: ConfirmLayer, size: ScreenSize): DialogPage {
  const { title, typed, effect, focused, button } = layer;
  const content = { title, lines: layer.currentLines?.() ?? layer.lines };
  const keys = run(typed === undefined ? '   y yes   n no' : '', 'faint');
  const buttons = effect === undefined ? [buttonRun(button, true)] : [...buttonRuns(button, focused), keys];
  if (typed === undefined) return questionDialog(content, size, [], [buttons]);
  const question = `That is a lot: type ${typed.expected} to confirm: `;
  const field = [
    run(question, 'warning'),
    ...fieldRuns(typed.line, Math.max(8, dialogWidth(size.columns) - question.length), true),
  ];
  return questionDialog(content, size, [field], [buttons]);
}

/** Returns the dialog that asks the user before a change to an upgrade plan, or for a new override. */
export function fieldsDialog(layer: FieldsDialogLayer, size: ScreenSize): DialogPage {
  const { problem, button, field } = layer;
  const wrong = problem === undefined ? [] : [[run(safeLine(problem), 'critical')]];
  const fields = fieldLines(layer, dialogWidth(size.columns));
  return questionDialog(layer, size, fields, [buttonRuns(button, field)], wrong);
}

/** Returns a dialog with a description, fields, the problem with them, and buttons. */
function questionDialog(
  { title, lines }: Pick<ConfirmLayer, 'title' | 'lines'>,
  size: ScreenSize,
  fields: readonly Line[],
  buttons: readonly Line[],
  wrong: readonly Line[] = [],
): DialogPage {
  const below = [...(fields.length === 0 ? [] : [[], ...fields]), ...wrong, [], ...buttons];
  const text = textRows(lines, dialogWidth(size.columns), dialogRows(size.rows) - below.length);
  return { title, lines: [...text.map((line) => [run(line)]), ...below] };
}

/**
 * Wraps the texts into at most `rows` rows. The longest texts are cut at their end, because the question and the
 * buttons must be visible.
 */
function textRows(texts: readonly string[], width: number, rows: number): readonly string[] {
  const wrapped = texts.map((text) => wrapCells(text, width));
  let most = Math.max(1, ...wrapped.map(({ length }) => length));
  const needed = (): number => wrapped.reduce((sum, { length }) => sum + Math.min(length, most), 0);
  while (most > 1 && needed() > rows) most -= 1;
  return wrapped
    .flatMap((pieces) =>
      pieces.length <= most
        ? pieces
        : pieces.slice(0, most - 1).concat(cutCells(pieces.slice(most - 1).join(''), width)),
    )
    .slice(0, Math.max(0, rows));
}

function buttonRuns(label: string, field: string): Line {
  return [buttonRun('Cancel', field === 'cancel'), run('   '), buttonRun(label, field === 'submit')];
}

/** Returns the lines of the text fields, one field below the other, with their texts aligned. */
function fieldLines({ fields, field }: FieldsDialogLayer, width: number): readonly Line[] {
  const cells = Math.max(0, ...fields.map(({ label }) => cellWidth(label)));
  return fields.map(({ label, line }) => {
    const head = `${label}${' '.repeat(cells - cellWidth(label))}  `;
    const hasFocus = label === field;
    return [
      run(head, hasFocus ? 'strong' : 'plain'),
      ...fieldRuns(line, Math.max(8, width - cellWidth(head)), hasFocus),
    ];
  });
}
