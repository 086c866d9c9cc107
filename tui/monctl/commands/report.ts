import { reportMarkdown } from '../../../shared/domain/report/markdown.ts';
import type { Command } from '../command.ts';
import { takes } from '../flags.ts';
import { given } from '../../../shared/domain/given.ts';
import { NAMESPACES_OPTIONS } from '../namespaces.ts';
import { SPAN_OPTIONS, spanOf } from '../past-span.ts';

const FORMATS = ['markdown', 'json', 'yaml'] as const;

/** What there is to hand over at the end of a shift. */
export const reportCommand: Command = {
  words: ['report'],
  summary: 'Hand over: what broke, for how long, what is open, who did what, what is noisy',
  details: [
    'Markdown for a ticket or a chat. Silenced time is told beside the time that something was not well. What else',
    'was changed is shown to those who may read the audit trail.',
  ],
  options: {
    ...SPAN_OPTIONS,
    since: { ...SPAN_OPTIONS.since, text: `${SPAN_OPTIONS.since.text}; default 12h before the end` },
    ...NAMESPACES_OPTIONS,
    limit: takes('N', 'at most so much in each table; default 100'),
    output: takes(FORMATS.join('|'), 'how to show it; default markdown', { completes: FORMATS, short: 'o' }),
  },
  textFormat: 'markdown',
  examples: [
    ['monctl report', 'the last twelve hours'],
    ['monctl report --since 2026-11-20T08:00 --until 2026-11-20T20:00 > handover.md', 'a shift, for a ticket'],
    ['monctl report --since 7d --all-namespaces --output json', 'a week everywhere, for a program'],
  ],
  async run(call) {
    const { api, flags, output } = call;
    const report = await api().report(given({ ...spanOf(call), limit: flags.number('limit') }));
    await output.show(report, () => reportMarkdown(report));
  },
};
