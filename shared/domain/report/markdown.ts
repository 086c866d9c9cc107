import type { Report } from '../../schemas/report.ts';
import { safeLine } from '../terminal-text.ts';
import { reportSections, type FormatTime, reportSummary, type ReportSection } from './sections.ts';

/**
 * Formats a report as GitHub Markdown for a ticket or a chat. Names and output are escaped. The text has no control
 * characters, so it is safe on a terminal.
 *
 * @param moment returns the text of a time, with its zone, because the report is read elsewhere
 */
export function reportMarkdown(report: Report, moment: FormatTime): string {
  const parts = [
    '# Handover',
    ...reportSummary(report, moment).map(plain),
    ...reportSections(report, moment).map(sectionText),
  ];
  return parts.join('\n\n');
}

function sectionText({ title, columns, rows, count, more, empty }: ReportSection): string {
  const heading = `## ${title}${rows.length === 0 ? '' : ` (${String(count)})`}`;
  if (rows.length === 0) return `${heading}\n\n${empty}`;
  const lines = [columns, columns.map(() => '---'), ...rows.map((row) => row.map(plain))];
  const table = lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
  return [heading, table, ...(more > 0 ? [`And ${String(more)} more.`] : [])].join('\n\n');
}

/** Escapes a text for Markdown. An underscore within a word needs no escape. */
function plain(text: string): string {
  return safeLine(text).replace(/[\\|*`<>[\]~]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])/g, '\\$&');
}
