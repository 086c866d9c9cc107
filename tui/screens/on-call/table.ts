import { SCHEDULE_SEARCH } from '../../../shared/domain/list-searches.ts';
import type { ListedSchedule } from '../../../shared/schemas/on-call.ts';
import { tableColumn, textColumn } from '../../list/column-kinds.ts';
import { tableView } from '../../list/list-table.ts';
import type { LiveData } from '../../model/live-data.ts';
import { NO_SCHEDULE_TEXT, shiftEndText } from '../../words/on-call-text.ts';
import { stripRuns } from './strip.ts';

/** The view of the on-call schedules: who is on call now, and a strip of the next two weeks. */
export const ON_CALL_VIEW = tableView<ListedSchedule>({
  name: 'on-call',
  nouns: ['schedule', 'schedules'],
  source: {
    keys: (store) => schedulesOf(store).map(({ name }) => name),
    row: (store, key) => schedulesOf(store).find(({ name }) => name === key),
  },
  columns: [
    textColumn('schedule', 'SCHEDULE', [10, 24], ({ name }) => name, { cut: 'middle' }),
    textColumn('person', 'ON CALL', [8, 18], ({ on_call: onCall }) => onCall?.person ?? 'nobody', {
      tone: ({ on_call: onCall }) => (onCall === null ? 'critical' : 'strong'),
    }),
    tableColumn('until', 'UNTIL', [12, 12], ({ on_call: onCall }, nowMs) => shiftEndText(onCall?.until, nowMs), {
      compare: (a, b) => (a.on_call?.until ?? Infinity) - (b.on_call?.until ?? Infinity),
    }),
    textColumn('next', 'NEXT', [8, 18], ({ next }) => next?.person ?? '-', { dropRank: 1 }),
    tableColumn('days', '14 DAYS', [14, 42], stripText, { runs: stripRuns }),
  ],
  sort: 'schedule',
  search: SCHEDULE_SEARCH,
  empty: () => [NO_SCHEDULE_TEXT, '', 'The sections "people" and "schedules" of the configuration define schedules.'],
  menu: ['open', 'override-new', 'override-delete'],
});

function stripText(schedule: ListedSchedule, nowMs: number, width = 28): string {
  return stripRuns(schedule, nowMs, width)
    .map(({ text }) => text)
    .join('');
}

function schedulesOf({ loads }: Pick<LiveData, 'loads'>): readonly ListedSchedule[] {
  return loads.loadOf('on-call').data ?? [];
}
