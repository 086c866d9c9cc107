import type { ReactElement } from 'react';
import type { ScreenSize } from '../state/console-state.ts';
import { cellWidth, fitToWidth } from '../terminal/cells.ts';
import { run, type Line, type Run, type Theme } from '../text/theme.ts';
import { Rows } from '../text/rows.tsx';
import { fitRuns } from '../text/runs.ts';

/** Maximum inner width of a dialog in cells. The text is easy to read, and the list beside it stays visible. */
const WIDTH_MAX = 76;

/** Number of screen rows that a dialog needs in addition to its lines. */
const ROWS_AROUND = 5;

/** Returns the inner width of a dialog, on a screen of `columns` cells. */
export function dialogWidth(columns: number): number {
  return Math.min(WIDTH_MAX, columns - 8);
}

/** Returns the maximum number of lines in a dialog, on a screen of `rows` rows. */
export function dialogRows(rows: number): number {
  return rows - ROWS_AROUND;
}

/** The content of a dialog. */
export interface DialogPage {
  readonly title: string;
  /** Lines of at most `dialogWidth` cells each. */
  readonly lines: readonly Line[];
}

/**
 * Renders a framed box over the view. Every cell inside is drawn, so that no cell of the view remains visible in it.
 */
export function Dialog({
  theme,
  size,
  dialog: { title, lines },
}: {
  readonly theme: Theme;
  readonly size: ScreenSize;
  readonly dialog: DialogPage;
}): ReactElement {
  const width = dialogWidth(size.columns);
  const shown = lines.slice(0, dialogRows(size.rows));
  const heading = ` ${fitToWidth(title, Math.min(cellWidth(title), width - 2))} `;
  // The border has the color of the focus, because keys act on the dialog and not on the view.
  const left = run('│ ', 'accent');
  const right = run(' │', 'accent');
  const rows: readonly Line[] = [
    [
      run('┌', 'accent'),
      run(heading, 'strong'),
      run(`${'─'.repeat(Math.max(0, width + 2 - cellWidth(heading)))}┐`, 'accent'),
    ],
    ...shown.map((runs) => [left].concat(fitRuns(runs, width), right)),
    [run(`└${'─'.repeat(width + 2)}┘`, 'accent')],
  ];
  const boxStyle = {
    position: 'absolute',
    marginLeft: Math.max(0, (size.columns - width - 4) >> 1),
    marginTop: Math.max(0, (size.rows - rows.length - 2) >> 1),
  } as const;
  return <Rows theme={theme} lines={rows} placement={boxStyle} />;
}

/**
 * Returns a button. The button that Enter presses is inverse, and has double brackets for users who cannot see that.
 */
export function buttonRun(label: string, focused: boolean): Run {
  return focused ? run(`[[ ${label} ]]`, 'cursor') : run(`[ ${label} ]`);
}
