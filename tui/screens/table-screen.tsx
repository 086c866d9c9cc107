import type { ReactElement, ReactNode } from 'react';
import { keyOf } from '../state/keys.ts';
import { FiguresLine, HintsLine, StatusLine, type StatusLineProps } from './footer.tsx';
import { isStale, ShortHeader, TallHeader } from './header.tsx';
import { Row } from '../text/row.tsx';
import { Rows } from '../text/rows.tsx';
import { tableHead, tableRuns } from '../list/table-columns.ts';
import type { TableLayout } from '../list/table-layout.ts';
import { layOutList } from '../list/list-layout.ts';
import { isTallHeader, listLayout, listRows, type ListLayout } from '../state/screen-layout.ts';
import { joinColumns } from '../text/panel.ts';
import { fitRuns } from '../text/runs.ts';
import { sidePane } from './events/pane.tsx';
import { splitName } from '../model/backend-names.ts';
import { isLoadedView } from '../model/view-data.ts';
import { textRows } from '../text/describe.ts';
import { run, type Line, type Theme } from '../text/theme.ts';
import { headerProps, hintsProps } from './chrome-props.ts';
import { connectingText } from './connection/connecting-text.ts';
import { failureText } from './failure-text.ts';
import { promptCompletion } from './search-candidates.ts';
import type { ScreenView } from '../state/ports.ts';
import type { LiveData } from '../model/live-data.ts';
import type { ListOfView } from '../list/list-of-view.ts';
import { columnOf, type ListTable } from '../list/list-table.ts';

export interface TableScreenProps {
  readonly theme: Theme;
  readonly store: ScreenView & LiveData & ListOfView;
  readonly table: ListTable<unknown>;
  /** Elements that are shown below the list if the screen has space for a pane. */
  readonly children?: ReactNode;
}

/** Renders the screen of a view that is a list. */
export function TableScreen({ theme, store, table, children }: TableScreenProps): ReactElement {
  const { columns } = store.state.size;
  const layout = listLayout(store.state);
  const tableLayout = layOutList(store);
  const lines = [...(table.above?.(store) ?? []), ...tableLines(store, table, layout.list, tableLayout)];
  const Header = isTallHeader(layout) ? TallHeader : ShortHeader;
  const completions = store.state.prompt === undefined ? [] : promptCompletion(store).candidates;
  const status = { ...statusProps(theme, store, table, !layout.tall), hiddenColumns: tableLayout, completions };
  return (
    <>
      <Header {...headerProps(theme, store)} />
      <Rows
        theme={theme}
        lines={layout.side === 0 ? lines : joinColumns([fullLines(lines, layout), sidePane(store)])}
        height={layout.above + 1 + layout.list}
      />
      {layout.figures > 0 && <FiguresLine {...status} />}
      {layout.pane > 0 && children}
      <Row theme={theme} runs={[run('─'.repeat(columns), 'faint')]} />
      <StatusLine {...status} />
      <HintsLine {...hintsProps(theme, store)} />
    </>
  );
}

/** Returns the lines of a list with a pane beside it: each in the width of the list, and as many as there are rows. */
function fullLines(lines: readonly Line[], { above, list, columns }: ListLayout): readonly Line[] {
  return Array.from({ length: above + 1 + list }, (_, row) => fitRuns(lines[row] ?? [], columns));
}

/** Returns the line of column titles and the lines of the visible rows. */
export function tableLines(
  store: ScreenView & LiveData & ListOfView,
  table: ListTable<unknown>,
  height: number,
  { placed, shift }: TableLayout,
): readonly Line[] {
  const { state, list, nowMs, feed, rows } = store;
  const { columns } = listLayout(state);
  const stale = isStale(feed);
  const body = rows.order.slice(list.cursor.top, list.cursor.top + height).map((record) => {
    const { key, isRemoved: gone } = record;
    const { row, isStale: isLost } = table.drawn?.(store, record, placed) ?? { row: record.row, isStale: false };
    return tableRuns(
      { key, row, isRemoved: gone },
      {
        placed,
        shift,
        columns,
        nowMs,
        stale: stale || isLost,
        look: table.rowLook?.(row, nowMs),
        isCursor: key === list.cursor.key,
        isMarked: list.marks.has(key),
      },
    );
  });
  const lines = body.length > 0 ? body : [[], ...textRows(emptyText(store, table), { width: columns, indent: 3 })];
  return [tableHead(placed, store.sort, columns, stale), ...lines];
}

function statusProps(
  theme: Theme,
  store: ScreenView & LiveData & ListOfView,
  table: ListTable<unknown>,
  compact: boolean,
): StatusLineProps {
  const { state, list, feed, sort, rows } = store;
  const { title = '', orderText = title.toLowerCase() } = columnOf(table, sort.column) ?? {};
  return {
    theme,
    columns: state.size.columns,
    state,
    list,
    nouns: table.nouns,
    sort: `${orderText}${sort.reversed ? ', reversed' : ''}`,
    notice: failureText(store),
    shown: rows.order.length,
    isMore: rows.isBeginningOnly,
    total: rows.size,
    ...foldProps(store),
    orderPaused: rows.frozen && feed.hasBeenLive,
    compact,
    stale: isStale(feed),
  };
}

/** Minimum number of events of one check for which the console offers to fold the list. */
const STORM_MIN = 20;

/** Returns the part of the status line that depends on whether the list is folded. */
function foldProps(store: ScreenView & LiveData & ListOfView): Pick<StatusLineProps, 'fold' | 'marked' | 'storm'> {
  const { state, list, folds, events, nowMs, feed } = store;
  if (state.view !== 'events' || folds.criterion === undefined) {
    const isOffered = state.view === 'events' && list.filter.text === '' && feed.hasBeenLive;
    const largest = isOffered ? events.largestCheck(nowMs) : undefined;
    const isStorm = largest !== undefined && largest.count > Math.max(STORM_MIN, listRows(state));
    return { storm: isStorm ? { check: splitName(largest.name).name, count: largest.count } : undefined };
  }
  return {
    marked: [...list.marks].reduce((sum, key) => sum + (folds.fold(key)?.size ?? 1), 0),
    fold: { by: folds.criterion, events: folds.eventCount },
  };
}

/** Returns the text that explains why the list has no rows. */
function emptyText(
  store: ScreenView & LiveData & ListOfView,
  { nouns, noMatch, empty }: ListTable<unknown>,
): readonly string[] {
  const { feed, list, state, loads, rows } = store;
  if (!feed.hasBeenLive) return connectingText(store);
  if (list.filter.text !== '' && rows.size > 0) {
    return [noMatch ?? `None of the ${nouns[1]} matches the filter.`, '', `${keyOf('back')} clears it.`];
  }
  if (isLoadedView(state.view)) {
    const { loadedAtMs, failure } = loads.loadOf(state.view);
    if (loadedAtMs === undefined) {
      if (failure === undefined) return ['loading …'];
      if (state.past === undefined) return ['Not loaded yet.'];
      return [`The past of ${nouns[1]} is not recorded.`, '', ':now returns to live data.'];
    }
  }
  return empty(store);
}
