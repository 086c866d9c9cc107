import { safeLine } from '../../../shared/domain/terminal-text.ts';
import { asOfLine, notLoadedLines } from '../freshness.ts';
import { hiddenColumnRuns } from '../footer.tsx';
import { isStale } from '../header.tsx';
import { spreadRuns } from '../../text/runs.ts';
import { searchRuns } from '../../form/search-line.ts';
import { tableHead, tableRuns } from '../../list/table-columns.ts';
import type { TableLayout } from '../../list/table-layout.ts';
import { countText } from '../../words/count-text.ts';
import { keyOf } from '../../state/keys.ts';
import { inspectBody, type InspectBody } from './body.ts';
import { CHECK_RESULTS_MAX, type InspectLayer, type SubjectKind } from '../../state/layers/inspect.ts';
import { rowSearch } from './list.ts';
import { layOutInspectTable } from './layout.ts';
import { inspectRows } from './rows.ts';
import { ruleLine, type Page, type PagePorts } from '../page.tsx';
import { paneLines, textPaneOf, type TextData } from '../text-pane.ts';
import { fitToWidth } from '../../terminal/cells.ts';
import { run, type Line, type Run } from '../../text/theme.ts';
import { textStatus } from '../text-page.ts';
import type { ScreenView } from '../../state/ports.ts';

const LIST_TITLES: Readonly<Record<SubjectKind, string>> = {
  client: 'clients',
  check: 'checks',
  aggregate: 'aggregates',
  result: 'results',
};

/** Returns the screen of a client, a check, an aggregate or a result. */
export function inspectScreen(store: PagePorts, layer: InspectLayer): Page {
  const body = inspectBody(store, layer);
  const tableLayout = body.table && layOutInspectTable(store, layer, body.table, body.rows);
  const { kind, name } = layer.subject;
  const title = [run(` ${LIST_TITLES[kind]} › `, 'faint'), run(safeLine(name), 'strong')];
  const head = [spreadRuns(title, asOfLine(layer.load), store.state.size.columns), ...body.head];
  return {
    header: 'short',
    top: [...head, ruleLine(store, ruleText(layer, body)), ...bodyLines(store, layer, body, tableLayout)],
    bottom: [statusRuns(store, layer, body, tableLayout)],
    hasRows: body.table !== undefined,
  };
}

function ruleText(layer: InspectLayer, { table, rows }: InspectBody): string {
  const {
    load: { data },
    raw,
  } = layer;
  if (data === undefined) return '';
  if (raw) return '─ raw json (y hides it) ';
  if (table === undefined) return '─ output ';
  const isCut = data.kind === 'check' && rows.length >= CHECK_RESULTS_MAX;
  const all = inspectRows(layer).length;
  if (rows.length < all) return `─ ${countText(rows.length)} of ${countText(all)} ${table.nouns[all === 1 ? 0 : 1]} `;
  const count = isCut ? `worst ${countText(rows.length)}` : countText(rows.length);
  return `─ ${count} ${table.nouns[rows.length === 1 ? 0 : 1]} `;
}

function bodyLines(
  store: TextData,
  layer: InspectLayer,
  { rows, height }: InspectBody,
  tableLayout: TableLayout | undefined,
): readonly Line[] {
  const { load, cursor, marks, sort } = layer;
  if (load.data === undefined) return notLoadedLines(load);
  const text = textPaneOf(store, layer);
  if (text !== undefined) return paneLines(text);
  if (tableLayout === undefined) return [];
  const { columns } = store.state.size;
  const { placed, shift } = tableLayout;
  const rowOptions = { placed, shift, columns, nowMs: store.nowMs, stale: isStale(store.feed) };
  const shown = rows.slice(cursor.top, cursor.top + height).map((row) => {
    const entry = { key: row.key, row, isRemoved: false };
    return tableRuns(entry, { ...rowOptions, isCursor: row.key === cursor.key, isMarked: marks.has(row.key) });
  });
  const head = tableHead(placed, sort ?? { column: '', reversed: false }, columns);
  if (shown.length === 0 && layer.search.line.text !== '') {
    return [head, [], [run(`   Nothing matches the filter. ${keyOf('close')} clears it.`)]];
  }
  return [head, ...shown];
}

function messageRuns({ state: { message } }: ScreenView, { load: { data, failure } }: InspectLayer): readonly Run[] {
  if (message !== undefined) {
    return [run(` ${safeLine(message.text)}`, message.tone === 'problem' ? 'critical' : 'strong')];
  }
  return data === undefined || failure === undefined ? [] : [run(` reload failed: ${safeLine(failure)}`, 'warning')];
}

function statusRuns(
  store: TextData,
  layer: InspectLayer,
  { rows }: InspectBody,
  tableLayout: TableLayout | undefined,
): readonly Run[] {
  const { columns } = store.state.size;
  const { search, cursor, marks } = layer;
  if (tableLayout === undefined) {
    const text = textPaneOf(store, layer);
    if (text !== undefined && (search.isOpen || search.line.text !== '')) return textStatus(store, text);
    const line = text === undefined ? '' : `line ${countText(text.top + 1)}/${countText(text.lines.length)} `;
    return spreadRuns(messageRuns(store, layer), text?.lines.length === 0 ? [] : [run(line)], columns);
  }
  const marked = marks.size === 0 ? [] : [run(`${countText(marks.size)} marked  `, 'strong')];
  const row = rows.length === 0 ? [] : [run(`row ${countText(cursor.index + 1)}/${countText(rows.length)} `)];
  const right = [...hiddenColumnRuns(tableLayout, true), ...marked, ...row];
  if (search.isOpen) return filterRuns(layer, rows.length, columns);
  if (store.state.message !== undefined || search.line.text === '') {
    return spreadRuns(messageRuns(store, layer), right, columns);
  }
  const filter = [run(' filter: ', 'faint'), run(safeLine(search.line.text))];
  return spreadRuns(filter, right, columns);
}

/**
 * Returns the line in which the user types the filter, with the problem of the filter or the number of matching rows.
 */
function filterRuns(layer: InspectLayer, count: number, columns: number): readonly Run[] {
  const read = rowSearch(layer);
  const problem = read?.kind === 'problem' ? fitToWidth(safeLine(read.message), columns >> 1).trimEnd() : undefined;
  return searchRuns(layer.search, problem ?? `${countText(count)} found`, columns);
}
