import { shownMinute } from '../../words/shown-time.ts';
import { reportMarkdown } from '../../../shared/domain/report/markdown.ts';
import type { Command } from '../command.ts';
import { valueOption } from '../flags.ts';
import { withoutUndefined } from '../../../shared/domain/without-undefined.ts';
import { NAMESPACES_OPTIONS } from '../namespaces.ts';
import { SPAN_OPTIONS, spanOf } from '../past-span.ts';

const REPORT_FORMATS = ['markdown', 'json', 'yaml'] as const;

/** The command `monctl report`, which prints a report for the handover of a shift. */
export const reportCommand: Command = {
  words: ['report'],
  summary: 'Print a shift report: outages, open events, operator actions, noisy checks',
  details: [
    'The default output is Markdown, for a ticket or a chat. Silenced time is listed separately from failing time.',
    'Other changes by operators are included if you may read the audit trail.',
  ],
  options: {
    ...SPAN_OPTIONS,
    since: { ...SPAN_OPTIONS.since, text: `${SPAN_OPTIONS.since.text}; default: 12h before --until` },
    ...NAMESPACES_OPTIONS,
    limit: valueOption('N', 'maximum number of rows in each table; default 100'),
    output: valueOption(REPORT_FORMATS.join('|'), 'output format; default markdown', {
      completes: REPORT_FORMATS,
      short: 'o',
    }),
  },
  textFormat: 'markdown',
  examples: [
    ['monctl report', 'the last twelve hours'],
    ['monctl report --since 2026-11-20T08:00 --until 2026-11-20T20:00 > handover.md', 'a shift, as a file'],
    ['monctl report --since 7d --all-namespaces --output json', 'a week of all namespaces, as JSON'],
  ],
  async run(call) {
    const { api, flags, output } = call;
    const report = await api().report(withoutUndefined({ ...spanOf(call), limit: flags.number('limit') }));
    await output.show(report, () => reportMarkdown(report, shownMinute));
  },
};
