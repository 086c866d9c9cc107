import { reportSections, reportSummary, type ReportSection } from '../../../shared/domain/report/sections.ts';
import { safeLine } from '../../../shared/domain/terminal-text.ts';
import type { Report } from '../../../shared/schemas/report.ts';
import type { LiveData } from '../../model/live-data.ts';
import type { ReportLayer } from '../../state/layers/loaded.ts';
import type { ScreenView } from '../../state/ports.ts';
import { cellWidth, fitToWidth } from '../../terminal/cells.ts';
import { RowCache, textRows } from '../../text/describe.ts';
import { run, SEVERITY_STYLES, type Line, type Tone } from '../../text/theme.ts';
import { whenText } from '../log/lines.ts';
import { openPlot, openPoints } from '../open-over-time.ts';

/** Minimum width of a column of the report, in cells. */
const CELLS_LEAST = 6;

const GAP_CELLS = 2;

const WORD_TONES: ReadonlyMap<string, Tone> = new Map(
  Object.values(SEVERITY_STYLES).map(({ word, tone }) => [word, tone]),
);

/** Returns the lines of the shift report: its summary and its sections. */
export function reportLines(
  { nowMs, state: { size } }: ScreenView & Pick<LiveData, 'nowMs'>,
  { load: { data } }: ReportLayer,
): readonly Line[] {
  if (data === undefined) return [];
  const width = size.columns - 1;
  const moment = (ms: number): string => minuteText(ms, nowMs);
  return reportRows.rowsOf(data, String(width), () => {
    return [
      ...textRows(reportSummary(data, moment).map(safeLine), { width }),
      ...openLines(data, width),
      ...reportSections(data, moment).flatMap((section) => sectionLines(section, width)),
    ];
  });
}

/** Number of screen rows of the plot of open problems. */
const PLOT_ROWS = 6;

/** Returns the plot of open problems; empty if the report does not contain their numbers. */
function openLines(data: Report, width: number): readonly Line[] {
  const points = openPoints(data);
  if (points.length === 0) return [];
  return [
    [],
    [run(' Open problems', 'strong')],
    ...openPlot(points, { since: data.since, until: data.until }, { width, height: PLOT_ROWS }),
  ];
}

/** Returns a time without seconds. The Markdown report has longer times, because it is read elsewhere and later. */
function minuteText(ms: number, nowMs: number): string {
  return whenText(ms, nowMs).replace(/^(\d\d:\d\d):\d\d/, '$1');
}

const reportRows = new RowCache<Report>();

function sectionLines({ title, columns, rows, count, more, empty }: ReportSection, width: number): readonly Line[] {
  const heading: Line = [run(` ${title}`, 'strong'), run(rows.length === 0 ? '' : `  ${String(count)}`, 'faint')];
  if (rows.length === 0) return [[], heading, [run(` ${empty}`, 'faint')]];
  const texts = rows.map((row) => row.map(safeLine));
  const cells = cellsOf([columns, ...texts], width - 1);
  const row = (line: readonly string[], toneOf: (text: string) => Tone): Line =>
    line.map((text, index) =>
      run(`${index === 0 ? ' ' : ''}${fitToWidth(text, cells[index] ?? 0)}${' '.repeat(GAP_CELLS)}`, toneOf(text)),
    );
  return [
    [],
    heading,
    row(
      columns.map((column) => column.toUpperCase()),
      () => 'faint',
    ),
    ...texts.map((line) => row(line, (text) => WORD_TONES.get(text) ?? 'plain')),
    ...(more > 0 ? [[run(` and ${String(more)} more`, 'faint')]] : []),
  ];
}

/**
 * Returns the widths of the columns in cells. A column is as wide as its longest text. If the columns do not fit, the
 * widest get narrower.
 */
function cellsOf(rows: readonly (readonly string[])[], width: number): readonly number[] {
  const cells = (rows[0] ?? []).map((_, index) => Math.max(...rows.map((row) => cellWidth(row[index] ?? ''))));
  let excess = cells.reduce((sum, one) => sum + one + GAP_CELLS, 0) - width;
  while (excess > 0) {
    const widest = Math.max(...cells);
    if (widest <= CELLS_LEAST) break;
    cells[cells.indexOf(widest)] = widest - 1;
    excess--;
  }
  return cells;
}
