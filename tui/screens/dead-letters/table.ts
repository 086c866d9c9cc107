import { column, textColumn } from '../../list/column-kinds.ts';
import { tableView } from '../../list/list-table.ts';
import type { DeadLetterSummary } from '../../../shared/schemas/dead-letter.ts';
import { DEAD_LETTER_SEARCH } from '../../../shared/domain/list-searches.ts';
import { countText } from '../../words/count-text.ts';
import { deadLetterSubject } from '../../words/dead-letter-text.ts';
import { whenText } from '../log/lines.ts';
import type { LiveData } from '../../model/live-data.ts';
import { compareText } from '../../../shared/domain/compare-text.ts';

/** The view of the dead-letter queue: notifications whose handler failed after all retries. */
export const DEAD_LETTERS = tableView<DeadLetterSummary>({
  name: 'dead-letters',
  nouns: ['dead letter', 'dead letters'],
  source: {
    keys: (store) => summaries(store).keys(),
    row: (store, id) => summaries(store).get(id),
  },
  columns: [
    column('when', 'WHEN', [12, 17], ({ failed_at: seconds }, nowMs) => whenText(seconds * 1000, nowMs), {
      compare: (a, b) => b.failed_at - a.failed_at || b.id - a.id,
    }),
    textColumn('handler', 'HANDLER', [10, 24], ({ handler }) => handler, { cut: 'middle' }),
    column('event', 'EVENT', [20, 48], deadLetterSubject, {
      cut: 'middle',
      compare: (a, b) => compareText(a.client, b.client) || compareText(a.check, b.check),
    }),
    column('tries', 'TRIES', [5, 5], ({ attempts }) => countText(attempts), {
      align: 'right',
      compare: (a, b) => b.attempts - a.attempts,
    }),
    textColumn('reason', 'REASON', [14, Infinity], ({ reason }) => reason),
  ],
  sort: 'when',
  newestBy: ['when'],
  search: DEAD_LETTER_SEARCH,
  empty: () => ['No dead letters: no handler has given up on a notification.'],
  menu: ['open', 'dead-letter-retry', 'dead-letter-drop', 'explain'],
});

/** Returns the dead letters of the last response by id. The map is built once for each response. */
function summaries({ loads }: Pick<LiveData, 'loads'>): ReadonlyMap<string, DeadLetterSummary> {
  const { data } = loads.of('dead-letters');
  if (data === undefined) return NONE;
  const byId = summariesMemo.get(data) ?? new Map(data.map((summary) => [String(summary.id), summary]));
  summariesMemo.set(data, byId);
  return byId;
}

const NONE: ReadonlyMap<string, DeadLetterSummary> = new Map();
const summariesMemo = new WeakMap<readonly DeadLetterSummary[], ReadonlyMap<string, DeadLetterSummary>>();
