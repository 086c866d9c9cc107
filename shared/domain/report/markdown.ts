import type { Report } from '../../schemas/report.ts';
import { safeLine } from '../terminal-text.ts';
import { reportSections, reportSummary, type ReportSection } from './sections.ts';

/**
 * A report to be pasted into a ticket or a chat: GitHub's Markdown, in which no name or output means anything, safe to be
 * shown on a terminal.
 */
export function reportMarkdown(report: Report): string {
  const parts = ['# Handover', ...reportSummary(report).map(plain), ...reportSections(report).map(sectionText)];
  return parts.join('\n\n');
}

function sectionText({ title, columns, rows, more, empty }: ReportSection): string {
  const heading = `## ${title}${rows.length === 0 ? '' : ` (${String(rows.length + more)})`}`;
  if (rows.length === 0) return `${heading}\n\n${empty}`;
  const lines = [columns, columns.map(() => '---'), ...rows.map((row) => row.map(plain))];
  const table = lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
  return [heading, table, ...(more > 0 ? [`And ${String(more)} more.`] : [])].join('\n\n');
}

/** What means something in a cell is shown as it is; an underscore within a word means nothing. */
function plain(text: string): string {
  return safeLine(text).replace(/[\\|*`<>[\]~]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])/g, '\\$&');
}
