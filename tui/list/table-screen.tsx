import type { ReactElement } from 'react';
import { keyOf } from '../actions/keys.ts';
import { FiguresLine, Hints, StatusLine, type StatusLineProps } from '../screens/footer.tsx';
import { isStale, ShortHeader, TallHeader } from '../screens/header.tsx';
import { Row } from '../text/row.tsx';
import { Rows } from '../text/rows.tsx';
import { tableHead, tableRuns } from './table-columns.ts';
import type { TablePlace } from './table-place.ts';
import { tablePlace } from './list-place.ts';
import { isTallHeader, tableLayout } from '../state/screen-layout.ts';
import type { TableRows } from './table-rows.ts';
import { isLoadedView } from '../model/view-data.ts';
import { run, type Run, type Theme } from '../text/theme.ts';
import { headerProps, hintsProps } from '../screens/chrome-props.ts';
import { connectingText } from '../screens/connection/connecting-text.ts';
import { failureText } from '../screens/failure-text.ts';
import type { Opened, Shown } from '../state/ports.ts';
import type { Known, Places } from '../model/known.ts';
import type { ListOfView } from './list-of-view.ts';

export interface TableScreenProps {
  readonly theme: Theme;
  readonly store: Shown & Opened & Known & Places & ListOfView;
  readonly rows: TableRows;
}

/** Any view that is a table. */
export function TableScreen({ theme, store, rows }: TableScreenProps): ReactElement {
  const { columns } = store.state.size;
  const layout = tableLayout(store.state);
  const place = tablePlace(store, rows);
  const Header = isTallHeader(layout) ? TallHeader : ShortHeader;
  const status = { ...statusProps(theme, store, rows, !layout.tall), beside: place };
  return (
    <>
      <Header {...headerProps(theme, store)} />
      <Rows theme={theme} lines={tableLines(store, rows, layout.list, place)} height={layout.list + 1} />
      {layout.figures > 0 && <FiguresLine {...status} />}
      <Row theme={theme} runs={[run('─'.repeat(columns), 'faint')]} />
      <StatusLine {...status} />
      <Hints {...hintsProps(theme, store)} />
    </>
  );
}

/** Titles and the rows of the window. */
function tableLines(
  store: Shown & Opened & Known & ListOfView,
  rows: TableRows,
  height: number,
  { placed, shift }: TablePlace,
): readonly (readonly Run[])[] {
  const { state, list, nowMs, feed } = store;
  const { columns } = state.size;
  const about = { placed, shift, columns, nowMs, stale: isStale(feed) };
  const window = rows.order.slice(list.cursor.top, list.cursor.top + height);
  const body = window.map((entry) =>
    tableRuns(entry, { ...about, isCursor: entry.key === list.cursor.key, isMarked: list.marks.has(entry.key) }),
  );
  const lines = body.length > 0 ? body : [[], ...emptyText(store, rows).map((line) => [run(`   ${line}`)])];
  return [tableHead(placed, store.sort, columns), ...lines];
}

function statusProps(
  theme: Theme,
  store: Shown & Pick<Known, 'loads' | 'feed'> & ListOfView,
  rows: TableRows,
  compact: boolean,
): StatusLineProps {
  const { state, list, feed, sort } = store;
  const title = rows.table.columns.find(({ id }) => id === sort.column)?.title ?? '';
  return {
    theme,
    columns: state.size.columns,
    state,
    list,
    nouns: rows.table.nouns,
    sort: `${title.toLowerCase()}${sort.reversed ? ', reversed' : ''}`,
    notice: failureText(store),
    shown: rows.order.length,
    total: rows.size,
    orderPaused: rows.frozen && feed.everLive,
    compact,
    stale: isStale(feed),
  };
}

/** Why there are no rows. */
function emptyText(store: Shown & Opened & Known & Pick<ListOfView, 'list'>, rows: TableRows): readonly string[] {
  const { feed, list, state, loads } = store;
  if (!feed.everLive) return connectingText(store);
  if (list.filter.text !== '' && rows.size > 0) {
    return [`None of the ${rows.table.nouns[1]} matches the filter.`, '', `${keyOf('back')} clears it.`];
  }
  if (isLoadedView(state.view)) {
    const { loadedAtMs, failure } = loads.of(state.view);
    if (loadedAtMs === undefined) return [failure === undefined ? 'loading …' : 'Nothing could be loaded yet.'];
  }
  return rows.table.empty(store);
}
