import type { ReactElement } from 'react';
import type { ViewName } from '../state/view-names.ts';
import type { Theme } from '../text/theme.ts';
import { PaneUnderCursor } from './events/pane.tsx';
import { OverviewScreen } from './overview/screen.tsx';
import { TableScreen } from './table-screen.tsx';
import { UpgradeScreen } from './plans/screen.tsx';
import type { Opened, Remembers, Shown } from '../state/ports.ts';
import type { Known, Places } from '../model/known.ts';
import type { ListOfView } from '../list/list-of-view.ts';
import type { Counted } from '../model/overview-figures.ts';

interface ViewProps {
  readonly theme: Theme;
  readonly store: Shown & Opened & Remembers & Counted & Known & Places & ListOfView;
}

/** Screens of the views that are no lists. */
const PAGE_SCREENS: Partial<Readonly<Record<ViewName, (props: ViewProps) => ReactElement>>> = {
  overview: OverviewScreen,
  upgrade: UpgradeScreen,
};

/** The view that is shown. */
export function ViewScreen({ theme, store }: ViewProps): ReactElement | null {
  const Page = PAGE_SCREENS[store.state.view];
  if (Page !== undefined) return <Page theme={theme} store={store} />;
  const { table } = store;
  if (table === undefined) return null;
  return (
    <TableScreen theme={theme} store={store} table={table}>
      <PaneUnderCursor theme={theme} store={store} />
    </TableScreen>
  );
}
