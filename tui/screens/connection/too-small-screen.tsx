import { Text } from 'ink';
import type { ReactElement } from 'react';
import { SMALLEST_SCREEN, type ScreenSize } from '../../state/console-state.ts';

export function TooSmallScreen({ columns, rows }: ScreenSize): ReactElement {
  const needs = `${String(SMALLEST_SCREEN.columns)}x${String(SMALLEST_SCREEN.rows)}`;
  return <Text>{`terminal too small (${String(columns)}x${String(rows)}), needs ${needs}`}</Text>;
}
