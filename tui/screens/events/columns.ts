import { formatDuration } from '../../../shared/domain/duration.ts';
import { recoveryWords } from '../../../shared/domain/recovery.ts';
import { severityOf } from '../../../shared/domain/severity.ts';
import { safeLine } from '../../../shared/domain/terminal-text.ts';
import type { EventRow, SilencedRow } from '../../../shared/schemas/feed.ts';
import { shortCountText } from '../../words/count-text.ts';
import { eventClass, type EventRecord } from '../../model/event-record.ts';
import { splitName } from '../../model/backend-names.ts';
import {
  classTone,
  FLAPPING_SYMBOL,
  RECOVERING_SYMBOL,
  run,
  SILENCED_SYMBOL,
  STATUS,
  type Tone,
} from '../../text/theme.ts';
import { BACKEND_COLUMN, NAMESPACE_COLUMN } from '../../model/where-column.ts';
import type { TableColumn } from '../../list/table-column.ts';

/** The data of one event that the columns of the list of events show. */
export interface EventLine {
  readonly record: EventRecord;
  /** The first of the event's silences that the feed has sent; `undefined` if it has sent none. */
  readonly silence: SilencedRow | undefined;
  /** True if the name of the client is shown without its backend or namespace, because another column shows that. */
  readonly isPlaced: boolean;
}

/** Time for which the row of a changed event stays highlighted, in milliseconds. */
const HIGHLIGHT_MS = 2000;

/** The columns of the list of events. `fitEventColumns` decides their widths. */
export const EVENT_COLUMNS: readonly TableColumn<EventLine>[] = [
  column({
    id: 'status',
    title: 'STATUS',
    text: ({ record }) => statusText(record),
    runs: ({ record }, _, width) => [run(statusText(record).padEnd(width), statusTone(record))],
    tone: ({ record }) => statusTone(record),
    // The default order is by severity and age. The `age` column shows its direction.
    orderText: 'severity, age',
    signAt: 'age',
    isOrdered: true,
  }),
  column({
    id: BACKEND_COLUMN,
    title: 'BACKEND',
    text: ({ record }) => splitName(record.row.client).context ?? '',
    isOrdered: true,
  }),
  column({
    id: NAMESPACE_COLUMN,
    title: 'NAMESPACE',
    text: ({ record }) => splitName(record.row.client).context ?? '',
    isOrdered: true,
  }),
  column({
    id: 'client',
    title: 'CLIENT',
    cut: 'middle',
    text: ({ record: { row }, isPlaced }) => (isPlaced ? splitName(row.client).name : row.client),
    isOrdered: true,
  }),
  column({ id: 'check', title: 'CHECK', text: ({ record }) => record.row.check, isOrdered: true }),
  column({
    id: 'count',
    title: 'COUNT',
    shortTitle: 'N',
    align: 'right',
    text: ({ record }, _, width = 5) => shortCountText(record.row.occurrences, width),
    isOrdered: true,
  }),
  column({
    id: 'age',
    title: 'AGE',
    align: 'right',
    text: ({ record }, nowMs) => formatDuration(nowMs / 1000 - record.row.since, 1),
    isOrdered: true,
  }),
  column({
    id: 'last',
    title: 'LAST',
    align: 'right',
    text: ({ record }, nowMs) => formatDuration(nowMs / 1000 - record.row.last, 1),
    isOrdered: true,
  }),
  column({
    id: 'output',
    title: 'OUTPUT',
    staleTitle: (width) => (width < 20 ? 'STALE OUTPUT' : 'OUTPUT  (stale data)'),
    text: outputText,
  }),
];

function column(definition: Omit<TableColumn<EventLine>, 'least' | 'most'>): TableColumn<EventLine> {
  return { tone: newsTone, ...definition, least: 0, most: Infinity };
}

function statusTone({ row }: EventRecord): Tone {
  return row.action === 'flapping' ? 'flapping' : classTone(eventClass(row));
}

function newsTone({ record }: EventLine, nowMs: number): Tone {
  return nowMs - record.changedAtMs < HIGHLIGHT_MS ? 'strong' : 'plain';
}

/** Returns the status as symbol and word, so that it is readable without color and without the font of the symbol. */
function statusText({ row, isRemoved: gone }: EventRecord): string {
  if (gone) return '✓ gone';
  const { symbol, word } = STATUS[severityOf(row.status)];
  if (row.silenced_by.length > 0) return `${SILENCED_SYMBOL} ${word}`;
  if (row.action === 'flapping') return `${FLAPPING_SYMBOL} ${word}`;
  return row.recovering === undefined ? `${symbol} ${word}` : `${RECOVERING_SYMBOL} ${word}`;
}

/** Returns the text of the output column. The text can contain control characters; the caller must remove them. */
export function outputText(
  { record: { row, isRemoved: gone }, silence }: Pick<EventLine, 'record' | 'silence'>,
  nowMs: number,
): string {
  if (gone) return 'resolved';
  const { output } = row;
  if (row.silenced_by.length === 0) return `${stateText(row)}${output}`;
  if (silence === undefined) return `silenced: ${output}`;
  const { creator, expire_at, reason } = silence;
  const by = creator === null ? '' : ` by ${safeLine(creator)}`;
  const left = expire_at === null ? '' : `, ${formatDuration(expire_at - nowMs / 1000, 1)} left`;
  return `silenced${by}${left}: ${reason ?? output}`;
}

/**
 * Returns the state that is shown in front of the output of an event that is not silenced: inhibited, flapping,
 * recovering, or `''`.
 */
function stateText({ action, recovering, inhibited_by: by }: EventRow): string {
  if (by !== undefined) return `inhibited by ${safeLine(`${by.client}/${by.check}`)}  `;
  if (action === 'flapping') return 'flapping  ';
  return recovering === undefined ? '' : `recovering, ${recoveryWords(recovering)}  `;
}
