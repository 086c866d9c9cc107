import type { Event } from '../../../shared/schemas/event.ts';
import { safeLine } from '../../../shared/domain/terminal-text.ts';
import type { LiveData } from '../../model/live-data.ts';
import { clamp } from '../../state/list-cursor.ts';
import { DETAIL_PANELS, type DetailLayer, type DetailPanel } from '../../state/layers/detail.ts';
import type { ScreenView } from '../../state/ports.ts';
import { SPLIT_COLUMNS } from '../../state/screen-layout.ts';
import { boundedLines, RowCache, textRows } from '../../text/describe.ts';
import { PANEL_BORDER, panelHeights, type PanelNeed } from '../../text/panel.ts';
import { run, type Line } from '../../text/theme.ts';
import { pageHeight } from '../page.tsx';
import { FULL_EVENT_HINT, LABEL_CELLS } from './lines.ts';
import { keyOf } from '../../state/keys.ts';
import { detailParts, paragraphLines, withShortOutput, type DetailPart } from './panels.ts';
import { RELATED_MAX, relatedRows } from './related.ts';

/** A part of the details in a box, with the position of its first visible line. */
export interface PlacedPanel extends DetailPart {
  readonly columns: number;
  readonly rows: number;
  readonly top: number;
}

/** The body of the screen of an event: boxes side by side on a wide screen, otherwise one text. */
export type DetailLayout =
  | { readonly kind: 'panels'; readonly columns: readonly (readonly PlacedPanel[])[] }
  | { readonly kind: 'text'; readonly lines: readonly Line[]; readonly parts: readonly DetailPart[] };

/** Number of screen rows between the short header and the text. */
const HEAD_ROWS = { panels: 2, text: 3 } as const;

/** The panels of each column of a wide screen, from top to bottom. All others are in the right column. */
const LEFT_PANELS: readonly DetailPanel[] = ['output', 'values', 'history', 'client'];

/** The minimum number of lines in a panel, if it is more than one. */
const LEAST_LINES: Readonly<Partial<Record<DetailPanel, number>>> = { output: 3, related: 4, values: 6, history: 4 };

/** Number of lines of an output that are shown above other parts before it is cut. */
const OUTPUT_LINES = 5;

/** The panels that also use rows that no panel needs. */
const STRETCHED_PANELS: ReadonlySet<DetailPanel> = new Set(['output', 'related']);

/** Returns the number of screen rows for the body of an event's screen. */
export function detailHeight(store: ScreenView, kind: DetailLayout['kind']): number {
  return Math.max(1, pageHeight(store, 'short', 1) - HEAD_ROWS[kind]);
}

/** Returns the number of events that are listed for each relation. A narrow screen has other parts to show below. */
export function relatedMax({ state }: ScreenView): number {
  return state.size.columns < SPLIT_COLUMNS ? 1 : RELATED_MAX;
}

/** Returns the layout of the screen of an event. */
export function layOutDetail(store: ScreenView & LiveData, layer: DetailLayer): DetailLayout {
  const { load } = layer;
  const { columns } = store.state.size;
  const { target, row, wrap } = layer;
  const shown = { target, row, wrap, relatedCursor: relatedCursor(store, layer), relatedMax: relatedMax(store) };
  const width = columns - 1;
  if (load.kind !== 'loaded') return { kind: 'text', lines: unloadedLines(load), parts: [] };
  if (columns < SPLIT_COLUMNS) {
    const allParts = detailParts(store, { ...shown, load }, () => width - LABEL_CELLS);
    // A search finds all lines of the output.
    const isExpanded = layer.isOutputExpanded || layer.raw || layer.search.isOpen || layer.search.line.text !== '';
    const parts = isExpanded ? allParts : withShortOutput(allParts, OUTPUT_LINES, `${keyOf('open')} shows them`);
    const lines = paragraphLines(parts, width, layer.panel);
    return { kind: 'text', lines: layer.raw ? [...lines, ...jsonRows(load.event, width, layer.wrap)] : lines, parts };
  }
  const left = columns >> 1;
  const widths = [left, columns - left] as const;
  const parts = detailParts(
    store,
    { ...shown, load },
    (id) => (LEFT_PANELS.includes(id) ? widths[0] : widths[1]) - PANEL_BORDER.columns,
  );
  const inLeft = layer.raw
    ? [jsonPart(load.event, widths[0] - PANEL_BORDER.columns, layer.wrap)]
    : LEFT_PANELS.flatMap((id) => parts.find((part) => part.id === id) ?? []);
  const inRight = parts.filter(({ id }) => !LEFT_PANELS.includes(id));
  const rows = detailHeight(store, 'panels');
  return {
    kind: 'panels',
    columns: [layOutPanels(inLeft, widths[0], rows, layer), layOutPanels(inRight, widths[1], rows, layer)],
  };
}

/** Returns the panels that the focus can go to, in order. */
export function panelOrder(layout: DetailLayout): readonly DetailPanel[] {
  const shown = new Set((layout.kind === 'panels' ? layout.columns.flat() : layout.parts).map(({ id }) => id));
  return DETAIL_PANELS.filter((id) => shown.has(id));
}

/** Returns the panel with the focus. If the panel that had it is no longer shown, it is the first one. */
export function focusedPanel(layout: DetailLayout, { panel }: DetailLayer): DetailPanel | undefined {
  const order = panelOrder(layout);
  return order.includes(panel) ? panel : order[0];
}

function layOutPanels(parts: readonly DetailPart[], columns: number, rows: number, layer: DetailLayer): PlacedPanel[] {
  const needs = parts.map(({ id, lines }): PanelNeed => {
    const least = Math.min(lines.length, LEAST_LINES[id] ?? 1) + PANEL_BORDER.rows;
    return { least, most: lines.length + PANEL_BORDER.rows };
  });
  const heights = [...panelHeights(needs, rows)];
  const free = rows - heights.reduce((sum, height) => sum + height, 0);
  const last = heights.findLastIndex((height) => height > 0);
  const stretched = parts.findIndex(({ id }, index) => STRETCHED_PANELS.has(id) && (heights[index] ?? 0) > 0);
  const at = stretched === -1 ? last : stretched;
  if (at !== -1) heights[at] = (heights[at] ?? 0) + free;
  return parts.flatMap((part, index) => {
    const height = heights[index] ?? 0;
    if (height === 0) return [];
    const top = clamp(layer.tops[part.id] ?? 0, 0, part.lines.length - (height - PANEL_BORDER.rows));
    return [{ ...part, columns, rows: height, top }];
  });
}

function unloadedLines(load: Exclude<DetailLayer['load'], { kind: 'loaded' }>): readonly Line[] {
  switch (load.kind) {
    case 'loading':
      return [[run(' loading …', 'faint')]];
    case 'missing':
      return [[run(' This event no longer exists: it has resolved. Esc goes back.')]];
    case 'failed':
      return [[run(` ${safeLine(load.message)}`, 'critical')], [run(' Press Enter to try again or Esc to go back.')]];
  }
}

/** Returns the key of the related row under the cursor; `undefined` if another panel has the focus. */
function relatedCursor(store: ScreenView & LiveData, { panel, target, row, related }: DetailLayer): string | undefined {
  if (panel !== 'related' || row === undefined) return undefined;
  const rows = relatedRows(store, { target, row }, relatedMax(store));
  return (rows.find(({ key }) => key === related) ?? rows[0])?.key;
}

const jsonParts = new RowCache<Event>();

function jsonText(event: Event, options: { width: number; indent: number; wraps: boolean }): readonly Line[] {
  return jsonParts.rowsOf(event, JSON.stringify(options), () =>
    textRows(boundedLines(JSON.stringify(event, undefined, 2), FULL_EVENT_HINT), options),
  );
}

function jsonPart(event: Event, width: number, wraps: boolean): DetailPart {
  const lines = jsonText(event, { width, indent: 0, wraps });
  return { id: 'output', title: 'Raw JSON (y hides it)', label: 'json', lines };
}

function jsonRows(event: Event, width: number, wraps: boolean): readonly Line[] {
  const title = '─ raw json (y hides it, w wraps) ';
  return [[run(title.padEnd(width + 1, '─'), 'faint')], ...jsonText(event, { width, indent: 2, wraps })];
}
