import { tableColumn, textColumn } from '../../list/column-kinds.ts';
import { tableView } from '../../list/list-table.ts';
import type { DeadLetterSummary } from '../../../shared/schemas/dead-letter.ts';
import { DEAD_LETTER_SEARCH } from '../../../shared/domain/list-searches.ts';
import { countText } from '../../words/count-text.ts';
import { deadLetterSubject } from '../../words/dead-letter-text.ts';
import { whenText } from '../log/lines.ts';
import type { LiveData } from '../../model/live-data.ts';
import { compareText } from '../../../shared/domain/compare-text.ts';

/** The view of the dead-letter queue: notifications whose handler failed after all retries. */
export const DEAD_LETTERS_VIEW = tableView<DeadLetterSummary>({
  name: 'dead-letters',
  nouns: ['dead letter', 'dead letters'],
  source: {
    keys: (store) => deadLettersById(store).keys(),
    row: (store, id) => deadLettersById(store).get(id),
  },
  columns: [
    tableColumn('when', 'WHEN', [12, 17], ({ failed_at: seconds }, nowMs) => whenText(seconds * 1000, nowMs), {
      compare: (a, b) => b.failed_at - a.failed_at || b.id - a.id,
    }),
    textColumn('handler', 'HANDLER', [10, 24], ({ handler }) => handler, { cut: 'middle' }),
    tableColumn('event', 'EVENT', [20, 48], deadLetterSubject, {
      cut: 'middle',
      compare: (a, b) => compareText(a.client, b.client) || compareText(a.check, b.check),
    }),
    tableColumn('tries', 'TRIES', [5, 5], ({ attempts }) => countText(attempts), {
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
function deadLettersById({ loads }: Pick<LiveData, 'loads'>): ReadonlyMap<string, DeadLetterSummary> {
  const { data } = loads.loadOf('dead-letters');
  if (data === undefined) return NO_DEAD_LETTERS;
  const byId = deadLettersByIdCache.get(data) ?? new Map(data.map((summary) => [String(summary.id), summary]));
  deadLettersByIdCache.set(data, byId);
  return byId;
}

const NO_DEAD_LETTERS: ReadonlyMap<string, DeadLetterSummary> = new Map();
const deadLettersByIdCache = new WeakMap<readonly DeadLetterSummary[], ReadonlyMap<string, DeadLetterSummary>>();
