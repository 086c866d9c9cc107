import {
  parseSeverity,
  severityOf,
  STATUS_BY_SEVERITY,
  SEVERITIES_WORST_FIRST,
  type Severity,
} from '../../shared/domain/severity.ts';
import { MonError } from '../../shared/errors.ts';
import { countedNoun } from './counted-noun.ts';
import type { CellStyle } from './table.ts';

const STATUS_WORD: Readonly<Record<Severity, string>> = {
  ok: 'OK',
  warning: 'WARN',
  critical: 'CRIT',
  unknown: 'UNKN',
};

const STATUS_STYLE: Readonly<Record<Severity, CellStyle>> = {
  ok: 'green',
  warning: 'yellow',
  critical: ['red', 'bold'],
  unknown: 'magenta',
};

/** The words that `--status` accepts, for the manual and for completion. */
export const STATUS_WORDS: readonly string[] = ['ok', 'warn', 'crit', 'unknown'];

/** Returns the word for a status, such as `CRIT` for 2. */
export function statusWord(status: number): string {
  return STATUS_WORD[severityOf(status)];
}

/** Returns the word and number of a status, such as `CRIT (2)`, because many statuses have the word `UNKN`. */
export function statusText(status: number): string {
  return `${statusWord(status)} (${String(status)})`;
}

export function statusStyle(status: number): CellStyle {
  return STATUS_STYLE[severityOf(status)];
}

/**
 * Returns the word for a severity, such as `CRIT` for `critical`; empty if an earlier version of the backend sent no
 * severity.
 */
export function severityWord(severity: Severity | undefined): string {
  return severity === undefined ? '' : STATUS_WORD[severity];
}

export function severityStyle(severity: Severity | undefined): CellStyle | undefined {
  return severity === undefined ? undefined : STATUS_STYLE[severity];
}

/**
 * Parses a status, which is a word such as `crit` or a number.
 *
 * @throws MonError `invalid` for any other text
 */
export function parseStatus(text: string): number {
  const severity = parseSeverity(text);
  if (severity !== undefined) return STATUS_BY_SEVERITY[severity];
  if (/^-?\d{1,9}$/.test(text)) return Number(text);
  throw new MonError('invalid', `STATUS must be ok, warn, crit, unknown or a number, not ${JSON.stringify(text)}`);
}

/**
 * Returns a predicate for the statuses that `--status` names, separated by commas; without the option it accepts all.
 *
 * @throws MonError `invalid`
 */
export function parseStatusFilter(text: string | undefined): (status: number) => boolean {
  if (text === undefined) return () => true;
  const conditions = text.split(',').map((part): ((status: number) => boolean) => {
    const word = part.trim();
    const severity = parseSeverity(word);
    if (severity !== undefined) return (status) => severityOf(status) === severity;
    if (/^-?\d{1,9}$/.test(word)) return (status) => status === Number(word);
    throw new MonError('invalid', `--status must be ok, warn, crit, unknown or a number, not ${JSON.stringify(part)}`);
  });
  return (status) => conditions.some((holds) => holds(status));
}

/** Returns the number of events in total and by severity, such as `3 events: 1 critical, 2 warning`. */
export function eventCounts(events: readonly { readonly check: { readonly status: number } }[]): string {
  const counts = SEVERITIES_WORST_FIRST.flatMap((severity) => {
    const count = events.filter(({ check }) => severityOf(check.status) === severity).length;
    return count === 0 ? [] : [`${String(count)} ${severity}`];
  });
  return `${countedNoun(events.length, 'events')}${counts.length === 0 ? '' : `: ${counts.join(', ')}`}`;
}
