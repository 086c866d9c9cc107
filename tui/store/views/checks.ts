import type { DefinedCheck } from '../../../shared/client/answers.ts';
import { formatDuration } from '../../../shared/domain/duration.ts';
import { compareText, tableView } from './table-view.ts';

export const CHECKS = tableView<DefinedCheck>({
  name: 'checks',
  nouns: ['check', 'checks'],
  source: { kind: 'load', keyOf: ({ name }) => name },
  columns: [
    {
      id: 'check',
      title: 'CHECK',
      least: 16,
      most: 40,
      cut: 'middle',
      text: ({ name }) => name,
      compare: (a, b) => compareText(a.name, b.name),
    },
    {
      id: 'schedule',
      title: 'SCHEDULE',
      least: 12,
      most: 20,
      text: scheduleText,
      compare: (a, b) => (a.interval ?? Infinity) - (b.interval ?? Infinity) || compareText(a.cron ?? '', b.cron ?? ''),
    },
    {
      id: 'next',
      title: 'NEXT',
      least: 5,
      most: 5,
      align: 'right',
      text: ({ next_run }, nowMs) => (next_run === null ? '-' : formatDuration(next_run - nowMs / 1000, 1)),
      compare: (a, b) => (a.next_run ?? Number.MAX_VALUE) - (b.next_run ?? Number.MAX_VALUE),
    },
    {
      id: 'subscribers',
      title: 'SUBSCRIBERS',
      least: 14,
      most: 30,
      spare: 1,
      text: ({ subscribers }) => (subscribers ?? []).join(', '),
    },
    { id: 'command', title: 'COMMAND', least: 14, most: Infinity, spare: 2, text: ({ command }) => command ?? '' },
  ],
  sort: 'check',
  search: ({ name, command, subscribers }) => `${name} ${command ?? ''} ${(subscribers ?? []).join(' ')}`,
  empty: () => ['The backend publishes no check.'],
  actions: {},
});

function scheduleText({ interval, cron }: DefinedCheck): string {
  if (typeof cron === 'string') return cron;
  return typeof interval === 'number' ? `every ${formatDuration(interval)}` : '-';
}
