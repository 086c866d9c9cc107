import type { ReactElement } from 'react';
import { safeLine } from '../../shared/domain/terminal-text.ts';
import type { ScreenSize } from '../state/console-state.ts';
import type { ConfirmLayer } from '../state/layers/confirm.ts';
import type { UpgradeDialogLayer } from '../state/layers/plans.ts';
import { cellWidth } from '../terminal/cells.ts';
import { run, type Line, type Run, type Theme } from '../text/theme.ts';
import { wrapCells } from '../text/wrap-cells.ts';
import { buttonRun, Dialog, dialogWidth } from './dialog.tsx';
import { fieldRuns } from './text-field.ts';

interface DialogProps<Layer> {
  readonly theme: Theme;
  readonly size: ScreenSize;
  readonly layer: Layer;
}

/** A question with two buttons, or a statement with one. */
export function ConfirmDialog({ layer, ...screen }: DialogProps<ConfirmLayer>): ReactElement {
  const { typed, effect, focused, button } = layer;
  const asked = typed && `These are many: type ${typed.wanted} to go on: `;
  const keys = run(typed === undefined ? '   y yes   n no' : '', 'faint');
  return (
    <QuestionDialog
      {...screen}
      question={layer}
      fields={(width) =>
        typed === undefined || asked === undefined
          ? []
          : [[run(asked, 'warning'), ...fieldRuns(typed.line, Math.max(8, width - asked.length), true)]]
      }
      buttons={effect === undefined ? [buttonRun(button, true)] : [...buttonRuns(button, focused), keys]}
    />
  );
}

/** A question about a plan for an upgrade. */
export function UpgradeDialog({ layer, ...screen }: DialogProps<UpgradeDialogLayer>): ReactElement {
  const problem = layer.problem === undefined ? [] : [[run(safeLine(layer.problem), 'critical')]];
  return (
    <QuestionDialog
      {...screen}
      question={layer}
      fields={(width) => fieldLines(layer, width)}
      problem={problem}
      buttons={buttonRuns(layer.button, layer.field)}
    />
  );
}

/** What it is about, what is to be typed, and buttons. */
function QuestionDialog({
  theme,
  size,
  question: { title, lines },
  fields,
  problem,
  buttons,
}: {
  readonly theme: Theme;
  readonly size: ScreenSize;
  /** Its lines are safe for a terminal. */
  readonly question: { readonly title: string; readonly lines: readonly string[] };
  /** The fields in rows of so many cells. */
  readonly fields: (width: number) => readonly Line[];
  readonly problem?: readonly Line[];
  readonly buttons: readonly Run[];
}): ReactElement {
  const width = dialogWidth(size.columns);
  const typed = fields(width);
  const text = lines.flatMap((line) => wrapCells(line, width)).map((line) => [run(line)]);
  return (
    <Dialog
      theme={theme}
      size={size}
      title={title}
      lines={[...text, ...(typed.length === 0 ? [] : [[], ...typed]), ...(problem ?? []), [], buttons]}
    />
  );
}

function buttonRuns(label: string, field: string): readonly Run[] {
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
