import { Box } from 'ink';
import { render } from 'ink-testing-library';
import type { ReactElement } from 'react';
import { vi } from 'vitest';

/**
 * What a component draws on a screen of this size, without its looks, row by row.
 *
 * @param size at most 100 columns, which is as wide as the terminal of the testing library
 */
export function frameOf(
  element: ReactElement,
  { columns, rows }: { readonly columns: number; readonly rows: number } = { columns: 100, rows: 1 },
): string {
  // Without them Ink starts a program to ask for the size of a terminal that this process does not have.
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
