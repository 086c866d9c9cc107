import { Box } from 'ink';
import { render } from 'ink-testing-library';
import type { ReactElement } from 'react';
import { vi } from 'vitest';

/**
 * Returns what a component draws on a screen of this size, row by row and without styles.
 *
 * @param size at most 100 columns, the width of the testing library's terminal
 */
export function frameOf(
  element: ReactElement,
  { columns, rows }: { readonly columns: number; readonly rows: number } = { columns: 100, rows: 1 },
): string {
  // Without these variables Ink starts a program to get the size of a terminal that this process does not have.
  vi.stubEnv('COLUMNS', String(columns));
  vi.stubEnv('LINES', String(rows));
  const { lastFrame, unmount } = render(
    <Box flexDirection="column" width={columns} height={rows}>
      {element}
    </Box>,
  );
  const frame = lastFrame() ?? '';
  unmount();
  vi.unstubAllEnvs();
  return frame.replaceAll(/\u001B\[[\d;]*m/g, '');
}
