import { Box, type BoxProps } from 'ink';
import { createElement, type ReactElement } from 'react';
import type { Line, Theme } from './theme.ts';
import { Row } from './row.tsx';

export interface RowsProps {
  readonly theme: Theme;
  readonly lines: readonly Line[];
  /** Number of screen rows. Default: the number of lines. */
  readonly height?: number;
  readonly placement?: Pick<BoxProps, 'position' | 'marginLeft' | 'marginTop'>;
}

/** Draws lines as rows of the screen, one below the other. */
export function Rows({ theme, lines, height, placement }: RowsProps): ReactElement {
  const shown = height === undefined ? lines : lines.slice(0, height);
  const box: BoxProps = { ...placement, flexDirection: 'column', flexShrink: 0 };
  // Children are passed without React keys, because a row is identified by its position on the screen, not by its
  // content.
  return createElement(
    Box,
    height === undefined ? box : { ...box, height, overflowY: 'hidden' },
    ...shown.map((runs) => createElement(Row, { theme, runs })),
  );
}
