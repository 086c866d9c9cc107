import type { Report } from '../../schemas/report.ts';
import { markdownText } from '../markdown.ts';
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
    ...reportSummary(report, moment).map(markdownText),
    ...reportSections(report, moment).map(sectionText),
  ];
  return parts.join('\n\n');
}

function sectionText({ title, columns, rows, count, more, empty }: ReportSection): string {
  const heading = `## ${title}${rows.length === 0 ? '' : ` (${String(count)})`}`;
  if (rows.length === 0) return `${heading}\n\n${empty}`;
  const lines = [columns, columns.map(() => '---'), ...rows.map((row) => row.map(markdownText))];
  const table = lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
  return [heading, table, ...(more > 0 ? [`And ${String(more)} more.`] : [])].join('\n\n');
}
