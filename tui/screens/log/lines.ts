import { shownClock, shownDayAndClock, shownDate } from '../../words/shown-time.ts';
import { cellWidth, fitToWidth } from '../../terminal/cells.ts';
import { run, type Line, type Run } from '../../text/theme.ts';
import { logDetails, type LogEntry } from './entries.ts';
import { descriptionLines } from '../../text/describe.ts';
import type { ConsoleHistory, ScreenView } from '../../state/ports.ts';
import type { LiveData } from '../../model/live-data.ts';
import type { LogLayer } from '../../state/layers/log.ts';

const DAY_MS = 86_400_000;

/** Widths of the columns of the log in cells. */
export interface LogWidths {
  readonly who: number;
  readonly kind: number;
}

/** Returns the widths of the columns for these entries: those of their texts, if most of the screen is left. */
export function logWidths(entries: readonly LogEntry[], columns: number): LogWidths {
  const most = columns >> 2;
  return {
    who: Math.min(most, longestCells(entries.map(({ who }) => who))),
    kind: Math.min(most, longestCells(entries.map(({ kind }) => kind))),
  };
}

function longestCells(texts: readonly string[]): number {
  return texts.reduce((widest, text) => Math.max(widest, cellWidth(text)), 0);
}

/** Returns a log entry as one row of the list. */
export function logRow(
  entry: LogEntry,
  options: { nowMs: number; columns: number; widths: LogWidths; isCursor: boolean },
): readonly Run[] {
  const { columns, isCursor, nowMs, widths } = options;
  const timeCells = whenCells(nowMs);
  const when = fitToWidth(whenText(entry.atMs, nowMs), timeCells);
  const who = entry.who === '' ? '' : `${fitToWidth(entry.who, widths.who)}  `;
  const kind = fitToWidth(entry.kind, widths.kind);
  const textWidth = columns - 2 - timeCells - 2 - cellWidth(who) - cellWidth(kind) - 2;
  const text = fitToWidth(entry.text, textWidth);
  if (isCursor) return [run(`> ${when}  ${who}${kind}  ${text}`, 'cursor')];
  return [run(`  ${when}  `, 'faint'), run(who), run(`${kind}  `, entry.tone), run(text)];
}

/** Returns the lines of the opened entry. */
export function logDetailLines(
  store: ScreenView & ConsoleHistory & Pick<LiveData, 'loads'>,
  layer: LogLayer,
): readonly Line[] {
  if (layer.at === undefined) return [];
  return descriptionLines(logDetails(store, layer.tab, layer.at), { width: store.state.size.columns - 1 });
}

/**
 * Returns a time of day with its zone. If the time is more than a day away, the text also contains the date. If it is
 * far in the future, the text is only a date with its year.
 */
export function whenText(atMs: number, nowMs: number): string {
  if (Math.abs(nowMs - atMs) < DAY_MS) return shownClock(atMs);
  return atMs - nowMs > FAR_MS ? shownDate(atMs) : shownDayAndClock(atMs);
}

/** Returns the width of a column of times, which depends on the zone. */
export function whenCells(nowMs: number): number {
  return cellWidth(shownDayAndClock(nowMs));
}

/** Distance into the future, in milliseconds, from which a date would be ambiguous without its year. */
const FAR_MS = 180 * DAY_MS;
