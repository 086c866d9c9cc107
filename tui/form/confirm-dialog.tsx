import type { ReactElement } from 'react';
import type { ScreenSize } from '../state/console-state.ts';
import { wrapCells } from '../text/wrap-cells.ts';
import { run, type Run, type Theme } from '../text/theme.ts';
import { buttonRun, Dialog, dialogWidth } from './dialog.tsx';
import { fieldRuns } from './text-field.ts';
import type { ConfirmLayer } from '../state/layers/confirm.ts';

export function ConfirmDialog({
  theme,
  size,
  layer,
}: {
  readonly theme: Theme;
  readonly size: ScreenSize;
  readonly layer: ConfirmLayer;
}): ReactElement {
  const width = dialogWidth(size.columns);
  return (
    <Dialog
      theme={theme}
      size={size}
      title={layer.title}
      lines={[
        ...layer.lines.flatMap((line) => wrapCells(line, width)).map((line) => [run(line)]),
        ...typedLines(layer, width),
        [],
        layer.effect === undefined
          ? [buttonRun(layer.button, true)]
          : [
              buttonRun('Cancel', layer.focused === 'cancel'),
              run('   '),
              buttonRun(layer.button, layer.focused === 'submit'),
              run(layer.typed === undefined ? '   y yes   n no' : '', 'faint'),
            ],
      ]}
    />
  );
}

/** The line to type the number into, where there is one to type. */
function typedLines({ typed }: ConfirmLayer, width: number): readonly (readonly Run[])[] {
  if (typed === undefined) return [];
  const asked = `These are many: type ${typed.wanted} to go on: `;
  return [[], [run(asked, 'warning'), ...fieldRuns(typed.line, Math.max(8, width - asked.length), true)]];
}
