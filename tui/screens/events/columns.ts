import { parseAttributeColumn } from '../../../shared/domain/event-attributes.ts';
import { formatDuration } from '../../../shared/domain/duration.ts';
import { recoveryWords } from '../../../shared/domain/recovery.ts';
import { severityOf, SEVERITIES_WORST_FIRST } from '../../../shared/domain/severity.ts';
import { safeLine } from '../../../shared/domain/terminal-text.ts';
import type { EventRow, SilencedRow } from '../../../shared/schemas/feed.ts';
import { countOf } from '../../words/changes.ts';
import { countText, shortCountText } from '../../words/count-text.ts';
import { nextEscalation, shortEscalationText } from '../../words/escalation-text.ts';
import type { EventFold } from '../../model/event-fold.ts';
import { eventClass, type EventRecord } from '../../model/event-record.ts';
import { splitName } from '../../model/backend-names.ts';
import {
  classTone,
  FLAPPING_SYMBOL,
  FOLDED_SYMBOL,
  RECOVERING_SYMBOL,
  run,
  ACKNOWLEDGED_SYMBOL,
  SILENCED_SYMBOL,
  SEVERITY_STYLES,
  type Tone,
  UNFOLDED_SYMBOL,
} from '../../text/theme.ts';
import { BACKEND_COLUMN, NAMESPACE_COLUMN } from '../../model/where-column.ts';
import type { TableColumn } from '../../list/table-column.ts';
import type { RowStyle } from '../../list/table-columns.ts';

/** The data of one row that the columns of the list of events show. */
export interface EventLine {
  /** The event, or the fold with the data of its events in one row. */
  readonly record: Pick<EventRecord, 'row' | 'isRemoved' | 'changedAtMs'>;
  /** The fold of the row; `undefined` if the row is a single event. */
  readonly fold?: EventFold | undefined;
  /** Whether the events of the fold are shown below its row, or whether the event is one of them. */
  readonly isUnfolded?: boolean;
  /** The first of the event's silences that the feed has sent; `undefined` if it has sent none. */
  readonly silence: SilencedRow | undefined;
  /** True if the name of the client is shown without its backend or namespace, because another column shows that. */
  readonly isPlaced: boolean;
}

/** Time for which the row of a changed event stays highlighted, in milliseconds. */
const HIGHLIGHT_MS = 2000;

/** Maximum width of the column of backends or namespaces, in cells. */
export const SOURCE_CELLS_MAX = 14;

/** The columns of the list of events. `fitEventColumns` decides their widths. */
export const EVENT_COLUMNS: readonly TableColumn<EventLine>[] = [
  eventColumn({
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
  eventColumn({
    id: BACKEND_COLUMN,
    title: 'BACKEND',
    most: SOURCE_CELLS_MAX,
    text: ({ record }) => splitName(record.row.client).context ?? '',
    isOrdered: true,
  }),
  eventColumn({
    id: NAMESPACE_COLUMN,
    title: 'NAMESPACE',
    most: SOURCE_CELLS_MAX,
    text: ({ record }) => splitName(record.row.client).context ?? '',
    isOrdered: true,
  }),
  eventColumn({
    id: 'client',
    title: 'CLIENT',
    most: 60,
    cut: 'middle',
    text: clientText,
    isOrdered: true,
  }),
  eventColumn({
    id: 'check',
    title: 'CHECK',
    most: 60,
    text: ({ record, fold }) => (fold === undefined ? record.row.check : checksText(fold)),
    isOrdered: true,
  }),
  eventColumn({
    id: 'count',
    title: 'COUNT',
    shortTitle: 'N',
    align: 'right',
    text: ({ record }, _, width = 5) => shortCountText(record.row.occurrences, width),
    isOrdered: true,
  }),
  eventColumn({
    id: 'age',
    title: 'AGE',
    align: 'right',
    text: ({ record }, nowMs) => formatDuration(nowMs / 1000 - record.row.since, 1),
    isOrdered: true,
  }),
  eventColumn({
    id: 'last',
    title: 'LAST',
    align: 'right',
    text: ({ record }, nowMs) => formatDuration(nowMs / 1000 - record.row.last, 1),
    isOrdered: true,
  }),
  eventColumn({ id: 'silence', title: 'SILENCED', most: 8, text: silenceText }),
  eventColumn({ id: 'escalation', title: 'ESC', most: 10, text: escalationColumnText }),
  eventColumn({
    id: 'output',
    title: 'OUTPUT',
    staleTitle: (width) => (width < 20 ? 'STALE OUTPUT' : 'OUTPUT  (stale data)'),
    text: (line, nowMs, width) => `${foldText(line.fold, nowMs, width)}${outputText(line)}`,
  }),
];

/** Maximum width of the column of an attribute, in cells. */
const ATTRIBUTE_CELLS_MAX = 30;

/** Returns the column of an attribute of the client or the check; an error message if the id names none. */
export function eventAttributeColumn(id: string): TableColumn<EventLine> | string {
  const parsed = parseAttributeColumn(id);
  if (typeof parsed === 'string') return parsed;
  const { title, texts } = parsed;
  return eventColumn({
    id: parsed.id,
    title,
    most: ATTRIBUTE_CELLS_MAX,
    text: ({ record }) => texts(record.row).join(', '),
    orderText: parsed.id,
    isOrdered: true,
  });
}

/**
 * Returns a column of the list of events. Its texts are measured if it has a maximum width (`most`); its minimum width
 * is decided by `fitEventColumns`.
 */
function eventColumn({
  most = Infinity,
  ...definition
}: Omit<TableColumn<EventLine>, 'least' | 'most'> & { readonly most?: number }): TableColumn<EventLine> {
  return { ...definition, least: 0, most };
}

function statusTone({ row, isRemoved }: EventLine['record']): Tone {
  if (isRemoved) return 'ok';
  return row.action === 'flapping' ? 'flapping' : classTone(eventClass(row));
}

/**
 * Returns how the row of an event is drawn: in the color of its severity, faint if no handler is notified of it, or in
 * the color of OK once it has resolved. A changed row is highlighted for a moment. That needs no frame of its own: the
 * next frame, which updates the ages, ends it.
 */
export function rowLookOf({ row, isRemoved, changedAtMs }: EventLine['record'], nowMs: number): RowStyle {
  const isChanged = nowMs - changedAtMs < HIGHLIGHT_MS;
  if (isRemoved) return { tone: 'ok', isChanged };
  const isSuppressed = row.silenced_by.length > 0 || row.inhibited_by !== undefined || row.acknowledged !== undefined;
  return { tone: isSuppressed ? 'faint' : severityOf(row.status), isChanged };
}

/** Returns the status as symbol and word, so that it is readable without color and without the font of the symbol. */
function statusText({ row, isRemoved: gone }: EventLine['record']): string {
  if (gone) return `${SEVERITY_STYLES.ok.symbol} ${SEVERITY_STYLES.ok.word}`;
  const { symbol, word } = SEVERITY_STYLES[severityOf(row.status)];
  if (row.silenced_by.length > 0) return `${SILENCED_SYMBOL} ${word}`;
  if (row.acknowledged !== undefined) return `${ACKNOWLEDGED_SYMBOL} ${word}`;
  if (row.action === 'flapping') return `${FLAPPING_SYMBOL} ${word}`;
  return row.recovering === undefined ? `${symbol} ${word}` : `${RECOVERING_SYMBOL} ${word}`;
}

/** Returns when the silence of an event ends: `59m left`, `until OK` or `no end`; `''` if the event is not silenced. */
function silenceText({ record: { row }, silence }: EventLine, nowMs: number): string {
  if (silence === undefined) return row.silenced_by.length === 0 ? '' : 'silenced';
  const { expire_at: end, expire_on_resolve: isUntilOk } = silence;
  if (end !== null) return `${formatDuration(end - nowMs / 1000, 1)} left`;
  return isUntilOk ? 'until OK' : 'no end';
}

/** Returns the step of the event's escalation and when the next one is due; `''` if there is none, and for a fold. */
function escalationColumnText({ record: { row, isRemoved }, fold }: EventLine, nowMs: number): string {
  const escalation = fold === undefined && !isRemoved ? nextEscalation(row.escalations) : undefined;
  return escalation === undefined ? '' : shortEscalationText(escalation, nowMs);
}

/** Returns the client of an event, indented under an unfolded fold; for a fold, the number of clients. */
function clientText({ record: { row }, fold, isUnfolded = false, isPlaced }: EventLine): string {
  if (fold !== undefined) return `${isUnfolded ? UNFOLDED_SYMBOL : FOLDED_SYMBOL} ${clientsText(fold)}`;
  const name = isPlaced ? splitName(row.client).name : row.client;
  return isUnfolded ? `  ${name}` : name;
}

/**
 * Returns the number of clients of a fold. If the fold is a single client, returns its name, and if it is a cause, the
 * client of the cause.
 */
function clientsText({ row, clientCount, cause, size }: EventFold): string {
  if (cause !== undefined) return cause.client;
  if (clientCount === 1) return row.client;
  return clientCount === undefined ? countOf(size, 'event') : countOf(clientCount, 'client');
}

/** Returns the check of a fold, with the number of its other checks: `http +2`. */
function checksText({ row, cause, checks }: EventFold): string {
  if (cause !== undefined) return cause.check;
  if (checks === undefined) return '';
  return checks.length > 1 ? `${row.check} +${countText(checks.length - 1)}` : row.check;
}

/** Number of cells from which on the output column of a fold also names the oldest change. */
const OLDEST_CELLS = 40;

/**
 * Returns the start of the output column of a fold: what the other columns do not show of its events. These are the
 * numbers of events by severity if there are several, the number of silenced events, and the age of the oldest change.
 */
function foldText(fold: EventFold | undefined, nowMs: number, width = Infinity): string {
  if (fold === undefined || fold.isRemoved) return '';
  const severities = SEVERITIES_WORST_FIRST.filter((severity) => fold[severity] > 0);
  const counts = severities.map((severity) => `${SEVERITY_STYLES[severity].symbol}${countText(fold[severity])}`);
  const silenced = fold.silenced === 0 ? [] : [`${SILENCED_SYMBOL}${countText(fold.silenced)}`];
  const parts = counts.length + silenced.length > 1 ? [...counts, ...silenced] : [];
  if (fold.inhibited > 0) parts.push(`${countText(fold.inhibited)} inhibited`);
  const { oldest, newest } = fold.times;
  const [oldestAge, newestAge] = [oldest, newest].map((since) => formatDuration(nowMs / 1000 - since, 1));
  if (width >= OLDEST_CELLS && oldestAge !== newestAge) parts.push(`oldest ${oldestAge ?? ''}`);
  return parts.length === 0 ? '' : `${parts.join(' ')}  `;
}

/** Returns the text of the output column. The text can contain control characters; the caller must remove them. */
export function outputText({ record: { row, isRemoved } }: Pick<EventLine, 'record'>): string {
  return isRemoved ? 'resolved' : `${stateText(row)}${row.output}`;
}

/** Returns the state that is shown in front of the output: inhibited, flapping, recovering, or `''`. */
function stateText({ action, recovering, acknowledged, inhibited_by: by }: EventRow): string {
  if (acknowledged !== undefined) return `ack by ${acknowledged.by}  `;
  if (by !== undefined) return `inhibited by ${safeLine(`${by.client}/${by.check}`)}  `;
  if (action === 'flapping') return 'flapping  ';
  return recovering === undefined ? '' : `recovering, ${recoveryWords(recovering)}  `;
}
