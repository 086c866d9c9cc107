import { NO_SEARCH, type SearchField } from '../state/search-field.ts';
import type { KeyAction } from '../state/keys.ts';
import type { Line } from '../text/theme.ts';
import { memberLines } from './cluster/lines.ts';
import { deadLetterLines } from './dead-letters/lines.ts';
import { detailHeight, focusedPanel, layOutDetail } from './detail/layout.ts';
import { handlingLines } from './handling/lines.ts';
import { INCIDENT_HEAD_ROWS, incidentLines } from './incident/lines.ts';
import { inspectBody } from './inspect/body.ts';
import { clamp } from '../state/list-cursor.ts';
import { logDetailLines } from './log/lines.ts';
import { logRows } from './log/entries.ts';
import { scheduleLines } from './on-call/lines.ts';
import { planPageLines } from './plans/page.ts';
import { reportLines } from './report/lines.ts';
import { silenceEntryLines } from './silences/entry-lines.ts';
import { seriesPageLines } from './series/lines.ts';
import { timelineSearchLines, TIMELINE_HEAD_ROWS, timelineLines } from './timeline/lines.ts';
import { pageHeight } from './page.tsx';
import { movedPosition } from '../keys/movement-target.ts';
import { highlightWords, matchingLines, matchText, nextMatch } from '../form/text-search.ts';
import type { DetailLayer } from '../state/layers/detail.ts';
import type { InspectLayer } from '../state/layers/inspect.ts';
import type { LoadedLayer, TimelineSearchLayer } from '../state/layers/loaded.ts';
import type { LogLayer } from '../state/layers/log.ts';
import type { PlanPageLayer } from '../state/layers/plans.ts';
import type { Screen, SilenceDialogData, ConsoleHistory, ScreenView } from '../state/ports.ts';
import type { LiveData } from '../model/live-data.ts';
import type { Layer } from '../state/layers/layer.ts';
import { putLayer } from '../state/layer-stack.ts';
import { PANEL_BORDER } from '../text/panel.ts';

/** A text on the screen that can be scrolled and searched. */
export interface TextPane {
  readonly lines: readonly Line[];
  /** Number of screen rows that the text can use. */
  readonly height: number;
  /** Index of the first visible line of the text. */
  readonly top: number;
  readonly search: SearchField;
  /** Returns the layer that shows the text, with another first visible line or another search. */
  readonly with: (change: { readonly top?: number; readonly search?: SearchField }) => Layer;
}

/**
 * Returns the text that a screen over the view shows.
 *
 * @returns the text with its scroll position and search; `undefined` if the layer shows no text
 */
export function textPaneOf(store: TextData, layer: Layer | undefined): TextPane | undefined {
  switch (layer?.kind) {
    case 'detail':
      return detailPane(store, layer);
    case 'handling':
      return buildPane(layer, handlingLines(store, layer), rowsBelowHeader(store, 2));
    case 'dead-letter':
      return buildPane(layer, deadLetterLines(store, layer), rowsBelowHeader(store, 2));
    case 'member':
      return buildPane(layer, memberLines(store, layer), rowsBelowHeader(store, 2));
    case 'schedule':
      return buildPane(layer, scheduleLines(store, layer), rowsBelowHeader(store, 2));
    case 'report':
      return buildPane(layer, reportLines(store, layer), rowsBelowHeader(store, 2));
    case 'timeline':
      return buildPane(layer, timelineLines(store, layer), rowsBelowHeader(store, 2 + TIMELINE_HEAD_ROWS));
    case 'timeline-search':
      return searchPane(layer, timelineSearchLines(store, layer), rowsBelowHeader(store, 2));
    case 'incident':
      return buildPane(layer, incidentLines(store, layer), rowsBelowHeader(store, 2 + INCIDENT_HEAD_ROWS));
    case 'series':
      return buildPane(layer, seriesPageLines(store, layer), rowsBelowHeader(store, 2));
    case 'silence-entry':
      return buildPane(layer, silenceEntryLines(store, layer), rowsBelowHeader(store, 3));
    case 'plan-page':
      return planPane(layer, planPageLines(store, layer), rowsBelowHeader(store, 2));
    case 'inspect': {
      const { table, text, height } = inspectBody(store, layer);
      return table === undefined ? buildPane(layer, text, height) : undefined;
    }
    case 'log':
      return layer.opened === undefined ? undefined : logPane(layer, logDetailLines(store, layer), logRows(store));
    default:
      return undefined;
  }
}

/** Returns the number of screen rows that remain below a short header and `lines` further lines. */
function rowsBelowHeader(store: ScreenView, lines: number): number {
  return Math.max(1, pageHeight(store, 'short', 1) - lines);
}

function buildPane(
  layer: DetailLayer | InspectLayer | LoadedLayer,
  lines: TextPane['lines'],
  height: number,
): TextPane {
  const top = clamp(layer.top, 0, lines.length - height);
  return { lines, height, top, search: layer.search, with: (change) => ({ ...layer, ...change }) };
}

/** Returns the results of a timeline search. The cursor follows the current match of a search in the text. */
function searchPane(layer: TimelineSearchLayer, lines: TextPane['lines'], height: number): TextPane {
  const rows = layer.load.data?.rows ?? [];
  return {
    ...buildPane(layer, lines, height),
    with: (change) => {
      const row = rows[change.search?.at ?? -1];
      return { ...layer, ...change, ...(row !== undefined && { at: row.id }) };
    },
  };
}

/** Returns the text of an event's screen: all of it, or the focused panel of a wide screen. */
function detailPane(store: ScreenView & LiveData, layer: DetailLayer): TextPane {
  const layout = layOutDetail(store, layer);
  if (layout.kind === 'text') return buildPane(layer, layout.lines, detailHeight(store, 'text'));
  const focused = focusedPanel(layout, layer);
  const panel = layout.columns.flat().find(({ id }) => id === focused);
  if (panel === undefined) return buildPane(layer, [], detailHeight(store, 'panels'));
  const { id, lines, rows, top } = panel;
  return {
    lines,
    height: rows - PANEL_BORDER.rows,
    top,
    search: layer.search,
    with: ({ top: next, search = layer.search }) => ({
      ...layer,
      search,
      tops: next === undefined ? layer.tops : { ...layer.tops, [id]: next },
    }),
  };
}

/** Returns the text of a plan screen. If the end of the log is visible, the log scrolls when lines are added. */
function planPane(layer: PlanPageLayer, lines: TextPane['lines'], height: number): TextPane {
  const last = Math.max(0, lines.length - height);
  return {
    lines,
    height,
    top: Math.min(layer.top ?? last, last),
    search: NO_SEARCH,
    with: ({ top }) => ({ ...layer, top: layer.content === 'log' && top === last ? undefined : top }),
  };
}

function logPane(layer: LogLayer, lines: TextPane['lines'], height: number): TextPane {
  const top = clamp(layer.opened ?? 0, 0, lines.length - height);
  const { search } = layer;
  return {
    lines,
    height,
    top,
    search,
    with: (change) => ({ ...layer, opened: change.top ?? layer.opened, ...change }),
  };
}

/**
 * Scrolls the text of the topmost layer (dialog or screen).
 *
 * @returns `false` if the topmost layer shows no text, or if the action is not a movement; otherwise `true`
 */
export function moveText(store: TextPorts, action: KeyAction): boolean {
  const text = textPaneOf(store, store.state.layers.at(-1));
  if (text === undefined) return false;
  const last = Math.max(0, text.lines.length - text.height);
  const top = movedPosition(action, text.top, { rows: text.height, last });
  return top !== undefined && putAndReport(store, text.with({ top }));
}

export function openTextSearch(store: TextPorts): void {
  const text = textPaneOf(store, store.state.layers.at(-1));
  if (text !== undefined) putAndReport(store, text.with({ search: { ...text.search, isOpen: true } }));
}

/** Scrolls the text of the topmost screen to the next or previous match of its search. */
export function seekMatch(store: TextPorts & Screen, step: 1 | -1): void {
  const text = textPaneOf(store, store.state.layers.at(-1));
  if (text !== undefined) seekInText(store, text, step);
}

/**
 * Clears the search in the text of the topmost screen.
 *
 * @returns `false` if the topmost screen shows no text or its search is empty; otherwise `true`
 */
export function clearTextSearch(store: TextPorts): boolean {
  const text = textPaneOf(store, store.state.layers.at(-1));
  return text !== undefined && text.search.line.text !== '' && putAndReport(store, text.with({ search: NO_SEARCH }));
}

/** The interfaces of the store from which scrollable texts are built. */
export type TextData = ScreenView & ConsoleHistory & Pick<SilenceDialogData, 'silenceMatches'> & LiveData;

type TextPorts = Screen & TextData;

/**
 * Returns the screen of a text while the user types a search. It is scrolled to the first match at or after the first
 * visible line.
 */
export function searchTyped(text: TextPane, search: SearchField): Layer {
  const matches = matchingLines(text.lines, search);
  const at = matches.find((line) => line >= text.top) ?? matches[0];
  return text.with({ search: { ...search, at }, ...(at !== undefined && { top: topForLine(text, at) }) });
}

function seekInText(store: Screen, text: TextPane, step: 1 | -1): void {
  const matches = matchingLines(text.lines, text.search);
  const from = text.search.at ?? (step === 1 ? text.top - 1 : text.top);
  const at = nextMatch(matches, from, step);
  if (at !== undefined)
    return putLayer(store, text.with({ search: { ...text.search, at }, top: topForLine(text, at) }));
  store.say(text.search.line.text === '' ? 'no search yet: press / to start one' : 'no match');
}

/**
 * Returns the index of the first visible line, so that line `at` is visible. If it is not visible now, the text scrolls
 * so that it is in the middle.
 */
function topForLine({ lines, height, top }: TextPane, at: number): number {
  if (at >= top && at < top + height) return top;
  return clamp(at - (height >> 1), 0, lines.length - height);
}

/** Returns the visible lines with the matches highlighted. */
export function paneLines({ lines, height, top, search }: TextPane): TextPane['lines'] {
  return lines.slice(top, top + height).map((line, row) => highlightWords(line, search, top + row === search.at));
}

/** Returns a text for the number of matches and the current match. */
export function paneMatchText({ lines, search }: TextPane): string {
  return matchText(matchingLines(lines, search), search.at);
}

function putAndReport(store: Screen, layer: Layer): true {
  putLayer(store, layer);
  return true;
}
