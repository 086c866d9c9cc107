import { tableColumn, countColumn, placedColumns } from '../../list/column-kinds.ts';
import { tableView } from '../../list/list-table.ts';
import type { DefinedCheck } from '../../../shared/schemas/scheduled-check.ts';
import { commandText } from '../../../shared/domain/command-text.ts';
import { formatDuration } from '../../../shared/domain/duration.ts';
import { countField } from '../../../shared/domain/search-fields.ts';
import { languageForItems } from '../../../shared/domain/search-language.ts';
import { CHECK_SEARCH } from '../../../shared/domain/list-searches.ts';
import type { Severity } from '../../../shared/domain/severity.ts';
import { SEVERITY_STYLES } from '../../text/theme.ts';
import type { EventCounts } from '../../model/event-counts.ts';
import { nextRunText } from '../../words/next-run-text.ts';
import type { LiveData } from '../../model/live-data.ts';
import { splitName } from '../../model/backend-names.ts';
import { compareText } from '../../../shared/domain/compare-text.ts';
import { namespaceField } from '../namespace-field.ts';
import type { TableColumn } from '../../list/table-column.ts';

/** A row of the list of checks: a check with the counts of its results and of its silenced events. */
export interface CheckTableRow {
  readonly check: DefinedCheck;
  /**
   * The number of clients by the severity of their last result. `ok` is `undefined` if the backend did not count the
   * clients.
   */
  readonly ok: number | undefined;
  readonly critical: number;
  readonly warning: number;
  readonly unknown: number;
  /** The number of silenced events of the check at the time when the row was built. */
  readonly silenced: number;
}

export const CHECKS_VIEW = tableView<CheckTableRow>({
  name: 'checks',
  nouns: ['check', 'checks'],
  source: {
    keys: (store) => checksByName(store).keys(),
    row: (store, name) => {
      const check = checksByName(store).get(name);
      return check && checkEntry(check, store.events.countsOfCheck(name));
    },
  },
  columns: [
    ...placedColumns<CheckTableRow>('check', 'CHECK', [16, 40], ({ check }) => check.name),
    tableColumn('schedule', 'SCHEDULE', [10, 20], ({ check }) => checkScheduleText(check), {
      compare: (a, b) =>
        (a.check.interval ?? Infinity) - (b.check.interval ?? Infinity) ||
        compareText(a.check.cron ?? '', b.check.cron ?? ''),
    }),
    tableColumn('next', 'NEXT', [5, 5], ({ check }, nowMs) => nextRunText(check.next_run, nowMs), {
      align: 'right',
      compare: (a, b) => (a.check.next_run ?? Number.MAX_VALUE) - (b.check.next_run ?? Number.MAX_VALUE),
    }),
    severityColumn('ok'),
    severityColumn('critical'),
    severityColumn('warning'),
    severityColumn('unknown'),
    countColumn('silenced', 'SIL', ({ silenced }) => silenced, { tone: 'faint', dropRank: 3 }),
    tableColumn('subscribers', 'SUBSCRIBERS', [14, 30], ({ check }) => (check.subscribers ?? []).join(', '), {
      dropRank: 1,
    }),
    tableColumn('command', 'COMMAND', [14, Infinity], ({ check }) => commandText(check.command ?? ''), { dropRank: 2 }),
  ],
  sort: 'check',
  search: languageForItems(
    CHECK_SEARCH,
    ({ check, ...results }: CheckTableRow) => ({
      ...check,
      name: splitName(check.name).name,
      results: countsOf(results),
    }),
    [countField('silenced', ({ silenced }) => silenced), namespaceField(({ check }) => check.name)],
  ),
  empty: () => ['The backend schedules no checks.'],
  menu: ['open', 'silence', 'run'],
});

/** Returns the text that says when the check runs. */
export function checkScheduleText({ interval, cron, publish }: DefinedCheck): string {
  if (publish === false) return 'on request';
  if (typeof cron === 'string') return cron;
  return typeof interval === 'number' ? `every ${formatDuration(interval)}` : 'on request';
}

/** Returns the checks of the last response by name. The map is built once for each response. */
function checksByName({ loads }: Pick<LiveData, 'loads'>): ReadonlyMap<string, DefinedCheck> {
  const { data } = loads.loadOf('checks');
  if (data === undefined) return NO_CHECKS;
  const byName = checksByNameCache.get(data) ?? new Map(data.map((check) => [check.name, check]));
  checksByNameCache.set(data, byName);
  return byName;
}

const NO_CHECKS: ReadonlyMap<string, DefinedCheck> = new Map();
const checksByNameCache = new WeakMap<readonly DefinedCheck[], ReadonlyMap<string, DefinedCheck>>();

// The counts are copied, because the counters keep changing and a row must not change.
function checkEntry(check: DefinedCheck, { critical, warning, unknown, silenced }: EventCounts): CheckTableRow {
  // If the backend does not count results, open events are counted instead: each result that is not OK has one.
  const counts = check.results ?? { ok: undefined, critical, warning, unknown };
  return { check, silenced, ...counts };
}

/** Returns the number of results by severity; `undefined` if the backend did not count them. */
function countsOf({ ok, critical, warning, unknown }: Omit<CheckTableRow, 'check'>): CheckTableRow['check']['results'] {
  return ok === undefined ? undefined : { ok, critical, warning, unknown };
}

function severityColumn(severity: Severity): TableColumn<CheckTableRow> {
  const { word, tone } = SEVERITY_STYLES[severity];
  return countColumn(severity, word, (entry) => entry[severity], { tone });
}
