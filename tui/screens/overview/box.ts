import type { PlacedBox } from './layout.ts';
import type { BoxRow } from './boxes.ts';
import { centredTop } from '../../state/screen-layout.ts';
import { run, type Line, type Run } from '../../text/theme.ts';
import { fitRuns, runsWidth, spreadRuns } from '../../text/runs.ts';

export interface BoxOptions {
  readonly width: number;
  /** The index of the row under the cursor; `undefined` if another box has the focus. */
  readonly cursor: number | undefined;
}

/** Returns the lines of a box: its title and its rows, each in exactly `width` cells. */
export function boxLines({ box, rows: height }: PlacedBox, { width, cursor }: BoxOptions): readonly Line[] {
  const isFocused = cursor !== undefined;
  const title = box.title.toUpperCase();
  const empty = height === 0 ? `  ${box.empty}` : '';
  const more = box.rows.length > height && box.plot === undefined ? `  ${String(box.rows.length)}` : '';
  // The title of the focused box begins with `>`, which is visible without color.
  const head = [run(isFocused ? `> ${title}` : `  ${title}`, 'strong'), run(more + empty, 'faint')];
  const heading = spreadRuns(head, [run(`${box.head} `, 'faint')], width);
  return [heading, ...bodyLines({ box, rows: height }, { width, cursor })].map((line) => fitRuns(line, width));
}

function bodyLines({ box, rows: height }: PlacedBox, { width, cursor }: BoxOptions): readonly Line[] {
  if (height === 0) return [];
  if (box.plot !== undefined) return fillHeight(box.plot({ width: width - 1, height }), height);
  if (box.rows.length === 0) return fillHeight([[run(`    ${box.empty}`, 'faint')]], height);
  const top = centredTop(cursor ?? 0, box.rows.length, height);
  const shown = box.rows.slice(top, top + height);
  return fillHeight(
    shown.map((row, index) => rowRuns(row, width, top + index === cursor)),
    height,
  );
}

function rowRuns({ left, right }: BoxRow, width: number, isCursor: boolean): readonly Run[] {
  const available = width - 4 - runsWidth(right) - 1;
  const runs = [...fitRuns(left, Math.max(0, available - 1)), run(' '), ...right];
  if (!isCursor) return [run('    '), ...runs];
  return [run(`  > ${runs.map(({ text }) => text).join('')}`, 'cursor')];
}

function fillHeight(lines: readonly Line[], height: number): readonly Line[] {
  return [...lines, ...Array.from({ length: Math.max(0, height - lines.length) }, () => [])];
}
