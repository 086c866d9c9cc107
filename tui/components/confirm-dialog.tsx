import type { ReactElement } from 'react';
import type { ConfirmLayer, ScreenSize } from '../store/console-state.ts';
import { wrapCells } from '../store/wrap-cells.ts';
import { run, type Theme } from '../theme.ts';
import { buttonRun, Dialog, dialogWidth } from './dialog.tsx';

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
        [],
        layer.effect === undefined
          ? [buttonRun(layer.button, true)]
          : [
              buttonRun('Cancel', layer.focused === 'cancel'),
              run('   '),
              buttonRun(layer.button, layer.focused === 'submit'),
              run('   y yes   n no', 'faint'),
            ],
      ]}
    />
  );
}
