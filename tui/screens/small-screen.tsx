import type { ReactElement } from 'react';
import { layOutList } from '../list/list-layout.ts';
import type { ListOfView } from '../list/list-of-view.ts';
import type { LiveData } from '../model/live-data.ts';
import { SMALLEST_SCREEN, type ScreenSize } from '../state/console-state.ts';
import type { ScreenView } from '../state/ports.ts';
import { listLayout } from '../state/screen-layout.ts';
import { Row } from '../text/row.tsx';
import { Rows } from '../text/rows.tsx';
import { run, type Theme } from '../text/theme.ts';
import { headerProps } from './chrome-props.ts';
import { ShortHeader } from './header.tsx';
import { tableLines } from './table-screen.tsx';

/**
 * Renders a screen that is too small for keys and dialogs: the counters and the first rows of the list, for a small
 * pane beside other programs.
 */
export function SmallScreen({
  theme,
  store,
}: {
  readonly theme: Theme;
  readonly store: ScreenView & LiveData & ListOfView;
}): ReactElement {
  const { size } = store.state;
  const { above, list } = listLayout(store.state);
  const { table } = store;
  const lines =
    table === undefined ? [] : [...(table.above?.(store) ?? []), ...tableLines(store, table, list, layOutList(store))];
  return (
    <>
      <ShortHeader {...headerProps(theme, store)} />
      <Rows theme={theme} lines={lines} height={Math.min(above + 1 + list, Math.max(0, size.rows - 2))} />
      {size.rows > 1 && <Row theme={theme} runs={[run(` ${sizeText(size)}`, 'faint')]} />}
    </>
  );
}

function sizeText({ columns, rows }: ScreenSize): string {
  const needed = `${String(SMALLEST_SCREEN.columns)}x${String(SMALLEST_SCREEN.rows)}`;
  return `${String(columns)}x${String(rows)}: keys need ${needed}`;
}
