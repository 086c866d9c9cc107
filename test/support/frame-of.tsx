import { Box } from 'ink';
import { render } from 'ink-testing-library';
import type { ReactElement } from 'react';

/**
 * What a component draws on a screen of this size, without its looks, row by row.
 *
 * @param size at most 100 columns, which is as wide as the terminal of the testing library
 */
export function frameOf(
  element: ReactElement,
  { columns, rows }: { readonly columns: number; readonly rows: number } = { columns: 100, rows: 1 },
): string {
  const { lastFrame, unmount } = render(
    <Box flexDirection="column" width={columns} height={rows}>
      {element}
    </Box>,
  );
  const frame = lastFrame() ?? '';
  unmount();
  return frame.replaceAll(/\u001B\[[\d;]*m/g, '');
}
