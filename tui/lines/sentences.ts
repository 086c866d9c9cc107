import { severityOf } from '../../shared/domain/severity.ts';
import { safeLine } from '../../shared/domain/terminal-text.ts';
import type { EventRow } from '../../shared/schemas/feed.ts';
import { countText } from '../words/count-text.ts';
import { countOf } from '../words/changes.ts';
import { eventClass } from '../model/event-record.ts';
import type { ChangeKind, EventChange } from './event-changes.ts';
import { type EventClass } from '../text/theme.ts';

/** All kinds of changes in the order in which they are announced: the worst first, resolved events last. */
const CHANGE_KINDS: readonly ChangeKind[] = ['critical', 'warning', 'unknown', 'ok', 'silenced', 'resolved'];

const KIND_WORDS: Readonly<Record<ChangeKind, string>> = {
  critical: 'critical',
  warning: 'warning',
  unknown: 'unknown',
  // An event that is OK only exists because it is flapping.
  ok: 'flapping',
  silenced: 'silenced',
  resolved: 'resolved',
};

/** Maximum number of groups of changes that an announcement describes; further changes are only counted. */
const GROUPS_MAX = 3;

/** Maximum length of a check output in an announcement, in characters; nobody listens to more. */
const OUTPUT_MAX = 120;

const DURATION_UNITS = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const;

/** Returns a duration in words, in its largest whole unit: `3 minutes`, `1 day`, or `less than a minute`. */
export function durationWords(seconds: number): string {
  for (const [unit, length] of DURATION_UNITS) {
    if (seconds >= length) return countOf(Math.floor(seconds / length), unit);
  }
  return 'less than a minute';
}

/**
 * Returns an event as a sentence such as `critical: postgres-repl on db-014, 3 minutes: lag 184 s`, without control
 * characters.
 */
export function eventSentence(row: EventRow, nowMs: number): string {
  const seconds = nowMs / 1000 - row.since;
  const age = seconds < 60 ? '' : `, ${durationWords(seconds)}`;
  const output = safeLine(row.output).trim().slice(0, OUTPUT_MAX).toWellFormed();
  const severity = severityOf(row.status);
  const state = eventClass(row) === 'silenced' ? `silenced, ${severity}` : stateWords(row);
  return `${state}: ${nameWords(row)}${age}${output === '' ? '' : `: ${output}`}`;
}

/** Returns the name of an event, such as `postgres-repl on db-014`, without control characters. */
export function nameWords({ client, check }: Pick<EventRow, 'client' | 'check'>): string {
  return safeLine(`${check} on ${client}`);
}

export function changeSentence({ kind, row }: EventChange, nowMs: number): string {
  return kind === 'resolved' ? `resolved: ${nameWords(row)}` : eventSentence(row, nowMs);
}

/**
 * Summarizes any number of changes in one line, such as `critical: http on web-003; 58 more critical on http; 2
 * resolved on disk`.
 */
export function announcementText(changes: readonly EventChange[], nowMs: number): string {
  const groups = [...groupChanges(changes).values()].toSorted(compareGroups);
  const [first] = groups.flat();
  const [only] = changes;
  if (first === undefined || only === undefined) return '';
  if (changes.length === 1) return changeSentence(only, nowMs);
  const lead = changeSentence(first, nowMs);
  const others = groups
    .map((group, index) => (index === 0 ? group.slice(1) : group))
    .filter(({ length }) => length > 0);
  const named = others.slice(0, GROUPS_MAX).map((group) => groupWords(group, first));
  const remaining = others.slice(GROUPS_MAX).reduce((sum, { length }) => sum + length, 0);
  return [lead, ...named, ...(remaining === 0 ? [] : [countOf(remaining, 'other change')])].join('; ');
}

/** Returns the number of events by class, such as `7 critical, 4 warning, 1 silenced; 2 of them inhibited`. */
export function countsWords(rows: Iterable<EventRow>): string {
  const counts = new Map<EventClass, number>();
  let inhibited = 0;
  let acknowledged = 0;
  for (const row of rows) {
    counts.set(eventClass(row), (counts.get(eventClass(row)) ?? 0) + 1);
    if (row.inhibited_by !== undefined) inhibited += 1;
    if (row.acknowledged !== undefined) acknowledged += 1;
  }
  const named = CHANGE_KINDS.flatMap((kind) => {
    const count = kind === 'resolved' ? undefined : counts.get(kind);
    // Flapping events of other classes are counted in their class.
    const word = kind === 'ok' ? 'OK but flapping' : KIND_WORDS[kind];
    return count === undefined ? [] : [`${countText(count)} ${word}`];
  });
  if (named.length === 0) return 'no events';
  // These numbers are left out at zero, because most sites have neither inhibition rules nor acknowledgements.
  const states = [
    ...(inhibited === 0 ? [] : [`${countText(inhibited)} of them inhibited`]),
    ...(acknowledged === 0 ? [] : [`${countText(acknowledged)} of them acknowledged`]),
  ];
  return [named.join(', '), ...states].join('; ');
}

function stateWords(row: EventRow): string {
  const word = KIND_WORDS[eventClass(row)];
  if (row.inhibited_by !== undefined) return `${word}, inhibited by ${nameWords(row.inhibited_by)}`;
  if (row.acknowledged !== undefined) return `${word}, acknowledged by ${safeLine(row.acknowledged.by)}`;
  if (row.action === 'flapping') return row.status === 0 ? word : `${word}, flapping`;
  return row.recovering === undefined ? word : `${word}, recovering`;
}

/** Returns true if the event is inhibited, and is neither silenced nor resolved. */
function isInhibited({ kind, row }: EventChange): boolean {
  return row.inhibited_by !== undefined && kind !== 'silenced' && kind !== 'resolved';
}

/**
 * Groups changes by kind and check, because an outage usually affects one check on many clients. Inhibited events form
 * groups of their own.
 */
function groupChanges(changes: readonly EventChange[]): ReadonlyMap<string, readonly EventChange[]> {
  return Map.groupBy(changes, (change) => `${change.kind} ${String(isInhibited(change))} ${change.row.check}`);
}

function compareGroups([a]: readonly EventChange[], [b]: readonly EventChange[]): number {
  return a === undefined || b === undefined ? 0 : rankOfChange(a) - rankOfChange(b);
}

/**
 * Returns the sort rank of a change in an announcement, the lowest first. Inhibited events rank like silenced events,
 * so that the cause comes before its consequences.
 */
function rankOfChange(change: EventChange): number {
  return CHANGE_KINDS.indexOf(isInhibited(change) ? 'silenced' : change.kind);
}

function groupWords(group: readonly EventChange[], first: EventChange): string {
  const [example] = group;
  if (example === undefined) return '';
  const { kind, row } = example;
  const isSame = kind === first.kind && row.check === first.row.check && isInhibited(example) === isInhibited(first);
  const inhibitedText = isInhibited(example) ? ', inhibited' : '';
  return `${countText(group.length)} ${isSame ? 'more ' : ''}${KIND_WORDS[kind]}${inhibitedText} on ${safeLine(row.check)}`;
}
