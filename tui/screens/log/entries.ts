import { safeLine, safeText } from '../../../shared/domain/terminal-text.ts';
import type { AuditRecord } from '../../../shared/schemas/audit.ts';
import type { Tone } from '../../text/theme.ts';
import type { LoggedMessage } from '../../model/message-log.ts';
import { holdsWords } from '../../state/search-field.ts';
import type { Known } from '../../model/known.ts';
import type { Remembers } from '../../state/ports.ts';
import type { LogLayer } from '../../state/layers/log.ts';

/** A line of the log. All texts are safe for a terminal. */
export interface LogEntry {
  readonly id: number;
  /** Epoch milliseconds. */
  readonly atMs: number;
  /** Who; empty: this console. */
  readonly who: string;
  /** What kind of message or action. */
  readonly kind: string;
  readonly text: string;
  readonly tone: Tone;
}

const TONES: Readonly<Record<LoggedMessage['tone'], Tone>> = { done: 'ok', note: 'plain', problem: 'critical' };

/** The entries of the tab that match the search, the newest first. */
export function logEntries(store: Remembers & Pick<Known, 'loads'>, { tab, search }: LogLayer): readonly LogEntry[] {
  const all = tab === 'messages' ? store.log.newestFirst.map(messageEntry) : auditRecords(store).map(auditEntry);
  return all.filter(({ who, kind, text }) => holdsWords(`${who} ${kind} ${text}`, search));
}

/** Place of the cursor among the entries; 0 also when there are none. */
export function logIndex(entries: readonly LogEntry[], { at }: LogLayer): number {
  return Math.max(
    0,
    entries.findIndex(({ id }) => id === at),
  );
}

/** The whole entry, a label and a text of one or more lines each. */
export function logDetails(
  store: Remembers & Pick<Known, 'loads'>,
  tab: LogLayer['tab'],
  id: number,
): readonly (readonly [string, string])[] {
  if (tab === 'messages') {
    const message = store.log.newestFirst.find((candidate) => candidate.id === id);
    if (message === undefined) return [];
    return [
      ['time', isoText(message.atMs)],
      ['kind', message.tone],
      ['message', safeText(message.text)],
    ];
  }
  const record = auditRecords(store).find((candidate) => candidate.id === id);
  return record === undefined ? [] : auditDetails(record);
}

function auditDetails(record: AuditRecord): readonly (readonly [string, string])[] {
  return [
    ['number', String(record.id)],
    ['time', isoText(record.at)],
    ['who', safeLine(record.who)],
    ...(record.on_behalf_of === undefined ? [] : [['for whom', safeLine(record.on_behalf_of)] as const]),
    ['from', record.from === null ? 'the backend itself' : safeLine(record.from)],
    ['how', safeLine(record.how)],
    ['action', safeLine(record.action)],
    ['target', safeLine(record.target)],
    ['reason', record.reason === null ? 'none' : safeText(record.reason)],
    ['before', jsonText(record.before)],
    ['after', jsonText(record.after)],
    ['hash', safeLine(record.hash)],
  ];
}

function auditRecords({ loads }: Pick<Known, 'loads'>): readonly AuditRecord[] {
  return loads.of('log').data ?? [];
}

function messageEntry({ id, atMs, text, tone }: LoggedMessage): LogEntry {
  return { id, atMs, who: '', kind: tone, text: safeLine(text), tone: TONES[tone] };
}

export function auditEntry({ id, at, who, on_behalf_of: other, action, target, reason }: AuditRecord): LogEntry {
  const whose = other === undefined ? '' : `  for ${other}`;
  const why = reason === null ? '' : `  ${reason}`;
  const text = safeLine(`${target}${whose}${why}`);
  return { id, atMs: at, who: safeLine(who), kind: safeLine(action), text, tone: 'plain' };
}

function jsonText(value: unknown): string {
  return value === null || value === undefined ? 'nothing' : safeText(JSON.stringify(value, null, 2));
}

function isoText(atMs: number): string {
  return new Date(atMs).toISOString();
}
