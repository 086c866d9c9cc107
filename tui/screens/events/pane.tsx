import type { ReactElement } from 'react';
import { formatDuration } from '../../../shared/domain/duration.ts';
import { acknowledgementText } from '../../words/acknowledgement-text.ts';
import { recoveryWords } from '../../../shared/domain/recovery.ts';
import { severityOf, SEVERITIES_WORST_FIRST } from '../../../shared/domain/severity.ts';
import { safeLine } from '../../../shared/domain/terminal-text.ts';
import type { Event } from '../../../shared/schemas/event.ts';
import type { SilencedRow } from '../../../shared/schemas/feed.ts';
import type { ListOfView } from '../../list/list-of-view.ts';
import type { LiveData } from '../../model/live-data.ts';
import type { ScreenView } from '../../state/ports.ts';
import { paneTop } from '../../state/pane.ts';
import { isPaneFocused, listLayout, type ListLayout } from '../../state/screen-layout.ts';
import { eventParts, LABEL_CELLS, silenceText } from '../detail/lines.ts';
import { keyOf } from '../../state/keys.ts';
import { detailParts, paragraphLines, withShortOutput } from '../detail/panels.ts';
import { targetOf } from '../../model/target.ts';
import { PANEL_BORDER, panelLines } from '../../text/panel.ts';
import { countText } from '../../words/count-text.ts';
import { EventFold } from '../../model/event-fold.ts';
import type { FoldedRow } from '../../model/event-folds.ts';
import type { EventRecord } from '../../model/event-record.ts';
import { cellWidth, fitToWidth } from '../../terminal/cells.ts';
import {
  ACKNOWLEDGED_SYMBOL,
  RECOVERING_SYMBOL,
  run,
  SEVERITY_STYLES,
  type Line,
  type Run,
  type Theme,
} from '../../text/theme.ts';
import { Rows } from '../../text/rows.tsx';
import { fitRuns } from '../../text/runs.ts';

/** Number of lines of an output that the pane beside the list shows above the other parts. */
const OUTPUT_LINES = 8;

/** The text of the pane that shows the event or the fold under the cursor, and the number of screen rows for it. */
export interface PaneText {
  /** Key of the row; `undefined` if the list is empty. */
  readonly key: string | undefined;
  /** The lines above the text, which do not scroll. */
  readonly head: readonly Line[];
  readonly lines: readonly Line[];
  readonly height: number;
}

type PanePorts = ScreenView & LiveData & ListOfView;

/** Returns the text of the pane, at its place below or beside the list. */
export function paneText(store: PanePorts): PaneText {
  const { state, list, rows, nowMs } = store;
  const layout = listLayout(state);
  const record = rows.order.at(list.cursor.index) as FoldedRow | undefined;
  const isSplit = layout.side > 0;
  const height = Math.max(0, isSplit ? sideRows(layout) - PANEL_BORDER.rows - 1 : layout.pane - 2);
  if (record === undefined) return { key: undefined, head: [], lines: [], height };
  if (record instanceof EventFold) {
    const figures = foldRuns(record, nowMs);
    const name = run(` ${safeLine(record.name)}   `, 'strong');
    return { key: record.key, head: [isSplit ? figures : [name, ...figures]], lines: foldLines(record), height };
  }
  const { key, row } = record;
  const load = state.peek?.target.key === key ? state.peek.load : undefined;
  const event = load?.kind === 'loaded' ? load.event : undefined;
  const summary = summaryRuns(record, event, nowMs);
  const width = isSplit ? layout.side - PANEL_BORDER.columns : layout.columns - 1;
  const unloaded: Line[] = [[run(' output   ', 'faint'), run(safeLine(row.output))]];
  if (isSplit) {
    const shown = { target: targetOf(key), row, wrap: true, relatedCursor: undefined, relatedMax: 1 };
    const parts =
      load?.kind === 'loaded' ? detailParts(store, { ...shown, load }, () => width - LABEL_CELLS) : undefined;
    const shortParts = parts && withShortOutput(parts, OUTPUT_LINES, `${keyOf('open')} shows the full event`);
    const lines = shortParts === undefined ? unloaded : paragraphLines(shortParts, width);
    return { key, head: [summary], lines, height };
  }
  const name = run(` ${safeLine(row.client)} / ${safeLine(row.check)}   `, 'strong');
  const silences = silencesOf(store, record).map((entry): Line => [
    run(' silence  ', 'faint'),
    run(silenceText(entry, nowMs)),
  ]);
  const parts = event === undefined ? unloaded : eventParts(event, width, false);
  return { key, head: [[name, ...summary]], lines: [...silences, ...parts], height };
}

/** Maximum number of events of a fold that the pane lists; the list shows all of them. */
const FOLD_EVENTS_MAX = 100;

/** Returns a line for each of the first events of a fold. */
function foldLines(fold: EventFold): readonly Line[] {
  const listed = fold.slice(0, FOLD_EVENTS_MAX);
  const names = listed.map(({ row }) => safeLine(`${row.client} / ${row.check}`));
  const cells = names.reduce((widest, name) => Math.max(widest, cellWidth(name)), 0);
  const lines = listed.map(({ row }, index): Line => {
    const { symbol, tone } = SEVERITY_STYLES[severityOf(row.status)];
    return [
      run(` ${symbol} `, tone),
      run(fitToWidth(names[index] ?? '', cells)),
      run(`  ${safeLine(row.output)}`, 'faint'),
    ];
  });
  const others = fold.size - listed.length;
  return others === 0
    ? lines
    : [...lines, [run(` and ${countText(others)} more: ${keyOf('open')} shows all`, 'faint')]];
}

/** Returns the figures of a fold, such as `280 events  ✗ 240  ! 40  12 silenced  changed 3m to 2h ago`. */
function foldRuns(fold: EventFold, nowMs: number): readonly Run[] {
  const { oldest, newest } = fold.times;
  const [oldestAge = '', newestAge = ''] = [oldest, newest].map((since) => formatDuration(nowMs / 1000 - since, 1));
  return [
    run(fold.sizeText),
    ...SEVERITIES_WORST_FIRST.filter((severity) => fold[severity] > 0).map((severity) =>
      run(`  ${SEVERITY_STYLES[severity].symbol} ${countText(fold[severity])}`, SEVERITY_STYLES[severity].tone),
    ),
    ...(fold.silenced === 0 ? [] : [run(`  ${countText(fold.silenced)} silenced`, 'silenced')]),
    ...(fold.inhibited === 0 ? [] : [run(`  ${countText(fold.inhibited)} inhibited`)]),
    run(`  changed ${newestAge === oldestAge ? newestAge : `${newestAge} to ${oldestAge}`} ago`),
  ];
}

/** Returns the number of screen rows of the pane beside the list: those of the titles and the rows of the list. */
function sideRows({ above, list }: Pick<ListLayout, 'above' | 'list'>): number {
  return above + 1 + list;
}

function silencesOf({ silenced }: Pick<LiveData, 'silenced'>, { row }: EventRecord): readonly SilencedRow[] {
  return row.silenced_by.flatMap((id) => silenced.get(id) ?? []);
}

/** Returns the visible lines of the pane's text: from the line that the user scrolled to. */
function visibleLines({ state }: ScreenView, { key, lines, height }: PaneText): readonly Line[] {
  const top = Math.min(paneTop(state.pane, key), Math.max(0, lines.length - height));
  return lines.slice(top, top + height);
}

/** Renders the pane below the list, which shows the event under the cursor. */
export function PaneBelow({ theme, store }: { readonly theme: Theme; readonly store: PanePorts }): ReactElement {
  const { columns, pane } = listLayout(store.state);
  const text = paneText(store);
  const isFocused = isPaneFocused(store.state);
  const rule = run('─ detail '.padEnd(columns, '─'), 'faint');
  const focusedRule = run('━ detail '.padEnd(columns, '━'), 'accent');
  const lines = [[isFocused ? focusedRule : rule], ...text.head, ...visibleLines(store, text)];
  return <Rows theme={theme} lines={lines.map((line) => fitRuns(line, columns))} height={pane} />;
}

/** Returns the rows of the pane beside the list, which shows the event under the cursor. */
export function sidePane(store: PanePorts): readonly Line[] {
  const layout = listLayout(store.state);
  const text = paneText(store);
  const shown = visibleLines(store, text);
  return panelLines(
    {
      title: text.key === undefined ? 'no event' : safeLine(nameOf(store, text.key)),
      note: shown.length < text.lines.length ? `${countText(text.lines.length)} lines` : '',
      lines: [...text.head, ...shown],
      isFocused: isPaneFocused(store.state),
    },
    { columns: layout.side, rows: sideRows(layout) },
  );
}

/** Returns the name of an event or a fold with control characters as they were received. */
function nameOf({ folds }: Pick<LiveData, 'folds'>, key: string): string {
  const { client, check } = targetOf(key);
  return folds.fold(key)?.name ?? `${client} / ${check}`;
}

/** Returns a summary such as `✗ CRIT for 3m (41 in a row)   interval 30s   handlers: pagerduty`. */
export function summaryRuns(record: EventRecord, event: Event | undefined, nowMs: number): readonly Run[] {
  const { row, isRemoved: gone } = record;
  const { symbol, word, tone } = SEVERITY_STYLES[severityOf(row.status)];
  const interval = event?.check['interval'];
  const handlers = event === undefined ? [] : handlersOf(event);
  return [
    ...(gone
      ? resolvedRuns(record, nowMs)
      : [run(`${symbol} ${word}`, tone), run(` for ${formatDuration(nowMs / 1000 - row.since)}`)]),
    run(` (${String(row.occurrences)} in a row)`),
    ...(row.action === 'flapping' ? [run('  ~ flapping', 'flapping')] : []),
    ...(row.recovering === undefined || gone
      ? []
      : [run(`  ${RECOVERING_SYMBOL} recovering, ${recoveryWords(row.recovering)}`, 'ok')]),
    ...(row.acknowledged === undefined || gone
      ? []
      : [run(`  ${ACKNOWLEDGED_SYMBOL} ${acknowledgementText(row.acknowledged, nowMs)}`, 'accent')]),
    ...(typeof interval === 'number' ? [run(`  interval ${formatDuration(interval)}`)] : []),
    run(handlers.length === 0 ? ' ' : `  handlers: ${safeLine(handlers.join(', '))} `),
  ];
}

/**
 * Returns text such as `✓ resolved 2s ago, after 22m29s`. The times are omitted if the console did not record when the
 * event resolved.
 */
function resolvedRuns({ row, changedAtMs }: EventRecord, nowMs: number): readonly Run[] {
  if (changedAtMs === 0) return [run('✓ resolved', 'ok')];
  const ago = formatDuration((nowMs - changedAtMs) / 1000);
  return [run(`✓ resolved ${ago} ago`, 'ok'), run(`, after ${formatDuration(changedAtMs / 1000 - row.since)}`)];
}

function handlersOf({ check }: Event): readonly string[] {
  const { handlers, handler } = check;
  if (Array.isArray(handlers)) return handlers.filter((name) => typeof name === 'string');
  return typeof handler === 'string' ? [handler] : [];
}
