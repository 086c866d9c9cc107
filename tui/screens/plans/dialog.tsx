import type { ReactElement } from 'react';
import { safeLine } from '../../../shared/domain/terminal-text.ts';
import type { ScreenSize } from '../../state/console-state.ts';
import { dialogFocus } from './form.ts';
import { wrapCells } from '../../text/wrap-cells.ts';
import { cellWidth } from '../../terminal/cells.ts';
import { run, type Run, type Theme } from '../../text/theme.ts';
import { buttonRun, Dialog, dialogWidth } from '../../form/dialog.tsx';
import { fieldRuns } from '../../form/text-field.ts';
import type { UpgradeDialogLayer } from '../../state/layers/plans.ts';

/** A question about a plan for an upgrade. */
export function UpgradeDialog({
  theme,
  size,
  layer,
}: {
  readonly theme: Theme;
  readonly size: ScreenSize;
  readonly layer: UpgradeDialogLayer;
}): ReactElement {
  const width = dialogWidth(size.columns);
  const focus = dialogFocus(layer);
  return (
    <Dialog
      theme={theme}
      size={size}
      title={layer.title}
      lines={[
        ...layer.lines.flatMap((line) => wrapCells(line, width)).map((line) => [run(line)]),
        ...(layer.fields.length === 0 ? [] : [[]]),
        ...fieldLines(layer, width),
        ...(layer.problem === undefined ? [] : [[run(safeLine(layer.problem), 'critical')]]),
        [],
        [buttonRun('Cancel', focus === 'cancel'), run('   '), buttonRun(layer.button, focus === 'submit')],
      ]}
    />
  );
}

/** The fields one below the other, their texts in one column. */
function fieldLines({ fields, focus }: UpgradeDialogLayer, width: number): readonly (readonly Run[])[] {
  const label = Math.max(0, ...fields.map((field) => cellWidth(field.label)));
  return fields.map((field, index) => {
    const head = `${field.label}${' '.repeat(label - cellWidth(field.label))}  `;
    const room = Math.max(8, width - cellWidth(head));
    return [run(head, index === focus ? 'strong' : 'plain'), ...fieldRuns(field.line, room, index === focus)];
  });
}
