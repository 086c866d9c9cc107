import { safeLine } from '../../shared/domain/terminal-text.ts';
import type { ConfirmLayer } from '../state/layers/confirm.ts';
import type { UpgradeDialogLayer } from '../state/layers/plans.ts';
import { cellWidth } from '../terminal/cells.ts';
import { run, type Line } from '../text/theme.ts';
import { wrapCells } from '../text/wrap-cells.ts';
import { buttonRun, type DialogPage } from './dialog.tsx';
import { fieldRuns } from './text-field.ts';

/** A question with two buttons, or a statement with one. */
export function confirmDialog(layer: ConfirmLayer, width: number): DialogPage {
  const { typed, effect, focused, button } = layer;
  const keys = run(typed === undefined ? '   y yes   n no' : '', 'faint');
  const buttons = effect === undefined ? [buttonRun(button, true)] : [...buttonRuns(button, focused), keys];
  if (typed === undefined) return questionDialog(layer, width, [], [buttons]);
  const asked = `These are many: type ${typed.wanted} to go on: `;
  const field = [run(asked, 'warning'), ...fieldRuns(typed.line, Math.max(8, width - asked.length), true)];
  return questionDialog(layer, width, [field], [buttons]);
}

/** A question about a plan for an upgrade. */
export function upgradeDialog(layer: UpgradeDialogLayer, width: number): DialogPage {
  const { problem, button, field } = layer;
  const wrong = problem === undefined ? [] : [[run(safeLine(problem), 'critical')]];
  return questionDialog(layer, width, fieldLines(layer, width), [buttonRuns(button, field)], wrong);
}

/** What it is about, what is to be typed, what is wrong with that, and buttons. */
function questionDialog(
  { title, lines }: Pick<ConfirmLayer, 'title' | 'lines'>,
  width: number,
  fields: readonly Line[],
  buttons: readonly Line[],
  wrong: readonly Line[] = [],
): DialogPage {
  const text = lines.flatMap((line) => wrapCells(line, width)).map((line) => [run(line)]);
  return { title, lines: [...text, ...(fields.length === 0 ? [] : [[], ...fields]), ...wrong, [], ...buttons] };
}

function buttonRuns(label: string, field: string): Line {
  return [buttonRun('Cancel', field === 'cancel'), run('   '), buttonRun(label, field === 'submit')];
}

/** The fields one below the other, their texts in one column. */
function fieldLines({ fields, field }: UpgradeDialogLayer, width: number): readonly Line[] {
  const cells = Math.max(0, ...fields.map(({ label }) => cellWidth(label)));
  return fields.map(({ label, line }) => {
    const head = `${label}${' '.repeat(cells - cellWidth(label))}  `;
    const isHere = label === field;
    return [run(head, isHere ? 'strong' : 'plain'), ...fieldRuns(line, Math.max(8, width - cellWidth(head)), isHere)];
  });
}
