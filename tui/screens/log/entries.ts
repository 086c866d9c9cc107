import { shownTime } from '../../words/shown-time.ts';
import { auditTargetText } from '../../words/silence-text.ts';
import { safeLine, safeText } from '../../../shared/domain/terminal-text.ts';
import type { AuditRecord } from '../../../shared/schemas/audit.ts';
import type { Description } from '../../text/describe.ts';
import type { Tone } from '../../text/theme.ts';
import type { LoggedMessage } from '../../model/message-log.ts';
import { holdsWords } from '../../state/search-field.ts';
import type { LiveData } from '../../model/live-data.ts';
import { pageHeight } from '../page.tsx';
import type { ConsoleHistory, ScreenView } from '../../state/ports.ts';
import type { LogLayer } from '../../state/layers/log.ts';

/** An entry of the log. Its texts contain no control characters. */
export interface LogEntry {
  readonly id: number;
  /** Time of the entry in epoch milliseconds. */
  readonly atMs: number;
  /** The user who acted; empty for a message of this console. */
  readonly who: string;
  /** The tone of a message, or the name of an action in the audit trail. */
  readonly kind: string;
  readonly text: string;
  readonly tone: Tone;
}

const MESSAGE_TONES: Readonly<Record<LoggedMessage['tone'], Tone>> = { done: 'ok', note: 'plain', problem: 'critical' };

/** Returns the log entries of the shown tab that match the search, the newest first. */
export function logEntries(
  store: ConsoleHistory & Pick<LiveData, 'loads'>,
  { tab, search }: LogLayer,
): readonly LogEntry[] {
  const all = tab === 'messages' ? store.log.newestFirst.map(messageEntry) : auditRecords(store).map(auditEntry);
  return all.filter(({ who, kind, text }) => holdsWords(`${who} ${kind} ${text}`, search));
}

/** Returns the number of screen rows for the list, or for the text of an opened entry. */
export function logRows(store: ScreenView): number {
  return pageHeight(store, 'none', 2) - 1;
}

/** Returns the index of the entry under the cursor; 0 if there are no entries. */
export function logIndex(entries: readonly LogEntry[], { at }: LogLayer): number {
  return Math.max(
    0,
    entries.findIndex(({ id }) => id === at),
  );
}

/** Returns all details of a log entry; empty if the entry no longer exists. */
export function logDetails(
  store: ConsoleHistory & Pick<LiveData, 'loads'>,
  tab: LogLayer['tab'],
  id: number,
): readonly Description[] {
  if (tab === 'messages') {
    const message = store.log.newestFirst.find((candidate) => candidate.id === id);
    return message === undefined ? [] : messageDetails(message);
  }
  const record = auditRecords(store).find((candidate) => candidate.id === id);
  return record === undefined ? [] : auditDetails(record);
}

function messageDetails({ atMs, tone, text }: LoggedMessage): readonly Description[] {
  return [
    { label: 'time', text: shownTime(atMs) },
    { label: 'kind', text: tone },
    { label: 'message', text: linesOf(text) },
  ];
}

function auditDetails(record: AuditRecord): readonly Description[] {
  return [
    { label: 'number', text: String(record.id) },
    { label: 'time', text: shownTime(record.at) },
    { label: 'who', text: record.who },
    ...(record.on_behalf_of === undefined ? [] : [{ label: 'on behalf', text: record.on_behalf_of }]),
    { label: 'from', text: record.from ?? 'the backend' },
    { label: 'how', text: record.how },
    { label: 'action', text: record.action },
    { label: 'target', text: auditTargetText(record) },
    ...(auditTargetText(record) === record.target ? [] : [{ label: 'id', text: record.target }]),
    { label: 'reason', text: linesOf(record.reason ?? 'none') },
    { label: 'before', text: linesOf(jsonText(record.before)) },
    { label: 'after', text: linesOf(jsonText(record.after)) },
    { label: 'hash', text: record.hash },
  ];
}

function auditRecords({ loads }: Pick<LiveData, 'loads'>): readonly AuditRecord[] {
  return loads.loadOf('log').data ?? [];
}

function messageEntry({ id, atMs, text, tone }: LoggedMessage): LogEntry {
  return { id, atMs, who: '', kind: tone, text: safeLine(text), tone: MESSAGE_TONES[tone] };
}

export function auditEntry(record: AuditRecord): LogEntry {
  const { id, at, who, on_behalf_of: other, action, reason } = record;
  const whose = other === undefined ? '' : `  for ${other}`;
  const why = reason === null ? '' : `  ${reason}`;
  const text = safeLine(`${auditTargetText(record)}${whose}${why}`);
  return { id, atMs: at, who: safeLine(who), kind: safeLine(action), text, tone: 'plain' };
}

function jsonText(value: unknown): string {
  return value === null || value === undefined ? 'nothing' : JSON.stringify(value, null, 2);
}

function linesOf(text: string): readonly string[] {
  return safeText(text).split('\n');
}
