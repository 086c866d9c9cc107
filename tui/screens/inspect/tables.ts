import { tableColumn, textColumn } from '../../list/column-kinds.ts';
import { formatDuration } from '../../../shared/domain/duration.ts';
import { HISTORY_LENGTH } from '../../../shared/domain/history.ts';
import {
  countField,
  flagField,
  listField,
  statusField,
  textField,
  timeField,
} from '../../../shared/domain/search-fields.ts';
import { searchLanguage, type SearchLanguage } from '../../../shared/domain/search-language.ts';
import {
  severityOf,
  STATUS_BY_SEVERITY,
  SEVERITIES_WORST_FIRST,
  type Severity,
} from '../../../shared/domain/severity.ts';
import { shortCountText } from '../../words/count-text.ts';
import { FLAPPING_SYMBOL, SILENCED_SYMBOL, SEVERITY_STYLES, type Tone } from '../../text/theme.ts';
import { historyRuns, historyText } from '../../model/history-runs.ts';
import type { SubjectData } from '../../state/layers/inspect.ts';
import { resultRank, type InspectRow, type OutputRow, type ResultRow } from './rows.ts';
import { nextRunText } from '../../words/next-run-text.ts';
import { compareText } from '../../../shared/domain/compare-text.ts';
import type { TableColumn } from '../../list/table-column.ts';

/** The definition of the list below the summary of a client, check or aggregate. */
export interface InspectTable {
  /** The singular and the plural noun for a row, such as `result` and `results`. */
  readonly nouns: readonly [one: string, several: string];
  readonly columns: readonly TableColumn<unknown>[];
  /** The search language of the filter of these rows. */
  readonly search: SearchLanguage<unknown>;
}

const AGE_COLUMN: TableColumn<ResultRow> = {
  id: 'age',
  title: 'AGE',
  least: 4,
  most: 4,
  align: 'right',
  text: ({ executed }, nowMs) => (executed === null ? '-' : formatDuration(nowMs / 1000 - executed, 1)),
  compare: (a, b) => (b.executed ?? 0) - (a.executed ?? 0),
};

const STATUS_COLUMN: TableColumn<ResultRow> = tableColumn('status', 'STATUS', [6, 6], statusText, {
  tone: statusTone,
  compare: (a, b) => resultRank(a) - resultRank(b),
});

const HISTORY_COLUMN: TableColumn<ResultRow> = tableColumn(
  'history',
  'HISTORY',
  [10, HISTORY_LENGTH],
  ({ history }, _, width) => historyText(history, width),
  { runs: ({ history }, _, width) => historyRuns(history, width) },
);

const OUTPUT_COLUMN: TableColumn<ResultRow> = tableColumn('output', 'OUTPUT', [10, Infinity], ({ output }) => output);

/** Returns the search language for rows of results. The rows are named after checks or clients. */
function resultSearch(named: 'check' | 'client'): SearchLanguage<ResultRow> {
  return searchLanguage<ResultRow>(
    [
      textField(named, ({ name }) => name),
      textField('output', ({ output }) => output),
      statusField(({ status }) => status ?? undefined),
      timeField('last', 'since it was executed', ({ executed }) => executed ?? undefined),
      flagField('silenced', ({ isSilenced }) => isSilenced),
      flagField('flapping', ({ isFlapping }) => isFlapping),
    ],
    ({ name, output }) => [name, output],
  );
}

const OUTPUT_SEARCH = searchLanguage<OutputRow>(
  [
    textField('check', ({ check }) => check),
    textField('output', ({ output }) => output),
    listField('client', 'a client', ({ targets }) => targets.map(({ client }) => client)),
    statusField(({ severity }) => STATUS_BY_SEVERITY[severity]),
    countField('clients', ({ total }) => total),
  ],
  ({ check, output }) => [check, output],
);

const INSPECT_TABLES: Readonly<Record<SubjectData['kind'], InspectTable | undefined>> = {
  client: inspectTable<ResultRow>(
    ['check', 'checks'],
    [
      STATUS_COLUMN,
      textColumn('name', 'CHECK', [16, 40], ({ name }) => name, { cut: 'middle' }),
      AGE_COLUMN,
      tableColumn('next', 'NEXT', [4, 4], ({ nextRun }, nowMs) => nextRunText(nextRun, nowMs), {
        align: 'right',
        compare: (a, b) => (a.nextRun ?? Infinity) - (b.nextRun ?? Infinity) || 0,
      }),
      HISTORY_COLUMN,
      OUTPUT_COLUMN,
    ],
    resultSearch('check'),
  ),
  check: inspectTable<ResultRow>(
    ['client', 'clients'],
    [
      STATUS_COLUMN,
      textColumn('name', 'CLIENT', [16, 40], ({ name }) => name, { cut: 'middle' }),
      AGE_COLUMN,
      HISTORY_COLUMN,
      OUTPUT_COLUMN,
    ],
    resultSearch('client'),
  ),
  aggregate: inspectTable<OutputRow>(
    ['row', 'rows'],
    [
      tableColumn(
        'status',
        'STATUS',
        [6, 6],
        ({ severity, client }) => (client === undefined ? signOf(severity) : ''),
        {
          tone: ({ severity }) => SEVERITY_STYLES[severity].tone,
          compare: (a, b) => SEVERITIES_WORST_FIRST.indexOf(a.severity) - SEVERITIES_WORST_FIRST.indexOf(b.severity),
        },
      ),
      {
        id: 'total',
        title: 'CLIENTS',
        least: 7,
        most: 7,
        align: 'right',
        text: ({ total, client }, _, width = 7) => (client === undefined ? shortCountText(total, width) : ''),
        compare: (a, b) => b.total - a.total,
      },
      {
        id: 'name',
        title: 'CHECK, CLIENT',
        least: 22,
        most: 44,
        cut: 'middle',
        text: ({ check, client, isOpen }) =>
          client === undefined ? `${isOpen ? '-' : '+'} ${check}` : `    ${client}`,
        compare: (a, b) => compareText(a.check, b.check),
      },
      tableColumn('output', 'OUTPUT', [10, Infinity], ({ output, client }) => (client === undefined ? output : ''), {
        compare: (a, b) => compareText(a.output, b.output),
      }),
    ],
    OUTPUT_SEARCH,
  ),
  result: undefined,
};

/** Returns the table for a client, check or aggregate; `undefined` for a result, which is shown as text. */
export function inspectTableOf(kind: SubjectData['kind']): InspectTable | undefined {
  return INSPECT_TABLES[kind];
}

function statusText({ status, isSilenced, isFlapping }: ResultRow): string {
  if (status === null) return '- none';
  const { symbol, word } = SEVERITY_STYLES[severityOf(status)];
  return `${isSilenced ? SILENCED_SYMBOL : isFlapping ? FLAPPING_SYMBOL : symbol} ${word}`;
}

function statusTone({ status, isSilenced, isFlapping }: ResultRow): Tone {
  if (status === null) return 'faint';
  return isSilenced ? 'silenced' : isFlapping ? 'flapping' : SEVERITY_STYLES[severityOf(status)].tone;
}

function signOf(severity: Severity): string {
  const { symbol, word } = SEVERITY_STYLES[severity];
  return `${symbol} ${word}`;
}

function inspectTable<Row extends InspectRow>(
  nouns: InspectTable['nouns'],
  columns: readonly TableColumn<Row>[],
  search: SearchLanguage<Row>,
): InspectTable {
  // The cast is safe, because rows are only drawn by the columns that were written for them.
  return {
    nouns,
    columns: columns as unknown as readonly TableColumn<unknown>[],
    search: search as unknown as SearchLanguage<unknown>,
  };
}
