import { Text } from 'ink';
import type { ReactElement } from 'react';
import { cellWidth } from '../terminal/cells.ts';
import { paintText, toAscii, type Run, type Theme } from './theme.ts';

/** One row of the screen: a single text element with one string, which Ink draws fastest. */
export function Row({ theme, runs }: { readonly theme: Theme; readonly runs: readonly Run[] }): ReactElement {
  return <Text wrap="truncate-end">{rowText(theme, runs)}</Text>;
}

export function rowText(theme: Theme, runs: readonly Run[]): string {
  let text = '';
  for (const { text: piece, tone } of runs)
    text += paintText(theme, tone, theme.ascii ? toAscii(piece, cellWidth) : piece);
  // A row without text would have no height, so it gets a blank.
  return text === '' ? ' ' : text;
}
