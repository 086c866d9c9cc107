import type {
  Report,
  ReportAction,
  ReportEscalation,
  ReportCause,
  ReportCheck,
  ReportNoise,
  ReportOpenCheck,
  ReportSilence,
} from '../../schemas/report.ts';
import { countWithNoun } from '../count-text.ts';
import { formatDuration } from '../duration.ts';
import { severityOf, statusRank } from '../severity.ts';
import { openCheckKey } from './open-by-check.ts';

/** A section of a report as a table. Its texts are not escaped: every output format must escape them. */
export interface ReportSection {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** Number of entries of the section. A row can stand for several entries. */
  readonly count: number;
  /** Number of entries that no row stands for, because they were omitted from the report. */
  readonly more: number;
  /** Text that is shown if the table has no rows. */
  readonly empty: string;
}

/** Callback that formats a time given in epoch milliseconds. */
export type FormatTime = (ms: number) => string;

const SEVERITY_WORDS = { ok: 'OK', warning: 'WARN', critical: 'CRIT', unknown: 'UNKN' } as const;

/** Maximum number of characters of a check output in a table of the report. */
const OUTPUT_MAX = 120;

/**
 * Returns the introduction of a report: its time span, its totals, and a note if the history covers only a part of the
 * span.
 */
export function reportSummary(report: Report, moment: FormatTime): string[] {
  const { since, until, total, open } = report;
  const span = `${moment(since)} to ${moment(until)} (${formatDuration((until - since) / 1000)})`;
  return [
    span,
    total.checks === 0
      ? 'No problems.'
      : `${countWithNoun(total.checks, 'check')} on ${countWithNoun(total.clients, 'client')} failed: ` +
        `${countWithNoun(total.outages, 'outage')}, ${formatDuration(total.down)} in all; ${String(open.count)} still open.`,
    ...inhibitedOf(report),
    ...missingHistoryNote(report, moment),
  ];
}

function inhibitedOf({ inhibited: { checks, count } }: Report): string[] {
  if (checks === 0) return [];
  return [
    `${countWithNoun(checks, 'check')} ${checks === 1 ? 'was' : 'were'} inhibited by ${countWithNoun(count, 'root cause')}; no notification was sent for them.`,
  ];
}

function missingHistoryNote(
  { since, complete_since: complete, truncated: isTruncated }: Report,
  moment: FormatTime,
): string[] {
  if (complete === null) return ['No history is stored: timeline.days of the backend is 0.'];
  if (complete <= since) return [];
  const cause = isTruncated
    ? 'there are more entries than one report can contain; choose a shorter period'
    : 'there is no older history';
  return [`The report starts at ${moment(complete)}: ${cause}.`];
}

/** Returns the sections of a report in the order of display. */
export function reportSections(report: Report, moment: FormatTime): readonly ReportSection[] {
  const { until, open, resolved, inhibited, noisiest, actions, escalations, changes } = report;
  // Resolved problems that were inhibited get no row; they are only counted in the section "Root causes".
  const ownTrouble = resolved.checks.filter(({ inhibited_by: inhibitor }) => inhibitor === undefined);
  const isPlaced = [...open.checks, ...resolved.checks, ...noisiest, ...actions.actions].some(
    ({ namespace }) => namespace !== undefined,
  );
  const placed = (columns: readonly string[]): string[] => [...(isPlaced ? ['Namespace'] : []), ...columns];
  const at = ({ namespace }: { readonly namespace?: string }): string[] => (isPlaced ? [namespace ?? ''] : []);
  const openRows = openRowsOf(report);
  return [
    {
      title: 'Still open',
      columns: placed(['Status', 'Client', 'Check', 'Since', 'For', 'Silenced by', 'Output']),
      rows: openRows.map((row) =>
        at(row).concat('count' in row ? openCheckRow(row, report, moment) : openRow(row, until, moment)),
      ),
      count: open.count,
      more: open.count - openRows.reduce((sum, row) => sum + ('count' in row ? row.count : 1), 0),
      empty: 'None.',
    },
    {
      title: 'Resolved',
      columns: placed(['Worst', 'Client', 'Check', 'From', 'To', 'Outages', 'Failing', 'Silenced', 'Output']),
      rows: ownTrouble.map((row) => at(row).concat(resolvedRow(row, moment))),
      count: resolved.count,
      more: resolved.count - ownTrouble.length,
      empty: resolved.count === 0 ? 'Nothing.' : 'Only inhibited events.',
    },
    ...(inhibited.count === 0
      ? []
      : [
          {
            title: 'Root causes',
            columns: placed(['Client', 'Check', 'Inhibition rule', 'Checks', 'Clients', 'Still open']),
            rows: inhibited.causes.map((row) => at(row).concat(causeRow(row))),
            count: inhibited.count,
            more: inhibited.count - inhibited.causes.length,
            empty: 'None.',
          },
        ]),
    {
      title: 'Noisiest',
      columns: placed(['Check', 'Outages', 'Clients', 'Most on']),
      rows: noisiest.map((row) => at(row).concat(noiseRow(row))),
      count: noisiest.length,
      more: 0,
      empty: 'None.',
    },
    ...(escalations === undefined
      ? []
      : [
          {
            title: 'Escalations',
            columns: placed(['Time', 'Escalation', 'Step', 'Events', 'Notified']),
            rows: escalations.steps.map((row) => at(row).concat(escalationRow(row, moment))),
            count: escalations.count,
            more: escalations.count - escalations.steps.length,
            empty: 'None.',
          },
        ]),
    {
      title: 'Operator actions',
      columns: placed(['Time', 'User', 'Action', 'Until', 'Reason']),
      rows: actions.actions.map((row) => at(row).concat(actionRow(row, moment))),
      count: actions.count,
      more: actions.count - actions.actions.length,
      empty: 'None.',
    },
    ...(changes === null
      ? []
      : [
          {
            title: 'Other changes',
            columns: ['Time', 'User', 'Action', 'Reason'],
            rows: changes.changes.map(({ at: atMs, who, action, target, reason }) => [
              moment(atMs),
              who,
              `${action} ${target}`,
              reason ?? '',
            ]),
            count: changes.count,
            more: changes.count - changes.changes.length,
            empty: 'None.',
          },
        ]),
  ];
}

/** Minimum number of clients with an open problem of the same check that a report lists as one row. */
const FOLDED_MIN = 4;

/**
 * Returns the rows of open problems. Problems of the same check on many clients are one row. The order is that of the
 * report: inhibited problems last, the worst first, then those on the most clients.
 */
function openRowsOf({ open, open_by_check: byCheck = [] }: Report): readonly (ReportCheck | ReportOpenCheck)[] {
  const folded = byCheck.filter(({ count }) => count >= FOLDED_MIN);
  const foldedKeys = new Set(folded.map(openCheckKey));
  const single = open.checks.filter((row) => !foldedKeys.has(openCheckKey(row)));
  return [...folded, ...single].toSorted(
    (a, b) => Number(a.inhibited_by !== undefined) - Number(b.inhibited_by !== undefined) || openRank(a) - openRank(b),
  );
}

function openRank(row: ReportCheck | ReportOpenCheck): number {
  return statusRank(row.status ?? 0);
}

/** Returns the row for the problems of one check on many clients. */
function openCheckRow(row: ReportOpenCheck, { since, until, open }: Report, moment: FormatTime): string[] {
  const { client, check, count, status, began, output, inhibited_by: inhibitor } = row;
  const listed = open.checks.filter((one) => openCheckKey(one) === openCheckKey(row));
  const silenced = listed.filter(({ silences }) => silences.length > 0).length;
  const listedNote = listed.length < count ? ` of the first ${String(listed.length)}` : ` of ${String(count)}`;
  return [
    statusText(status),
    `${client} +${String(count - 1)}`,
    check,
    began === null ? 'before' : moment(began),
    `${began === null ? 'over ' : ''}${formatDuration((until - (began ?? since)) / 1000)}`,
    silenced === 0 ? '' : `${String(silenced)}${listedNote}`,
    outputText(output, inhibitor),
  ];
}

function openRow(
  { client, check, status, worst, began, down, output, silences, inhibited_by: inhibitor }: ReportCheck,
  until: number,
  moment: FormatTime,
): string[] {
  const seconds = began === null ? down : (until - began) / 1000;
  return [
    statusText(status ?? worst),
    client,
    check,
    began === null ? 'before' : moment(began),
    `${began === null ? 'over ' : ''}${formatDuration(seconds)}`,
    silences.map((silence) => silenceText(silence, moment)).join('; '),
    outputText(output, inhibitor),
  ];
}

function resolvedRow(
  { client, check, worst, began, ended, outages, down, silenced, output }: ReportCheck,
  moment: FormatTime,
): string[] {
  return [
    statusText(worst),
    client,
    check,
    began === null ? 'before' : moment(began),
    ended === null ? '' : moment(ended),
    String(outages),
    formatDuration(down),
    silenced === 0 ? '-' : formatDuration(silenced),
    cutOutput(output),
  ];
}

function silenceText({ id, acknowledged, who, reason, end }: ReportSilence, moment: FormatTime): string {
  const name =
    acknowledged === true ? `acknowledged by ${who ?? 'unknown'}` : `${id}${who === undefined ? '' : ` by ${who}`}`;
  const until = end === undefined ? '' : ` until ${moment(end)}`;
  return `${name}${until}${reason === undefined ? '' : `: ${reason}`}`;
}

function causeRow({ rule, client, check, checks, clients, open }: ReportCause): string[] {
  return [client, check, rule, String(checks), String(clients), String(open)];
}

function noiseRow({ check, outages, clients, client, client_outages: clientOutages }: ReportNoise): string[] {
  return [check, String(outages), String(clients), clients === 1 ? client : `${client} (${String(clientOutages)})`];
}

function actionRow({ at, who, action, targets, count, reason, end }: ReportAction, moment: FormatTime): string[] {
  const remaining = count - targets.length;
  const what = `${action} ${targets.join(', ')}${remaining > 0 ? ` and ${String(remaining)} more` : ''}`;
  return [moment(at), who, what, end === undefined ? '' : moment(end), reason ?? ''];
}

function escalationRow(
  { at, handler, step, of, repeat, targets, count, notified }: ReportEscalation,
  moment: FormatTime,
): string[] {
  const remaining = count - targets.length;
  return [
    moment(at),
    handler,
    `${String(step)} of ${String(of)}${repeat === undefined ? '' : `, repetition ${String(repeat)}`}`,
    `${targets.join(', ')}${remaining > 0 ? ` and ${String(remaining)} more` : ''}`,
    notified.length === 0 ? 'nobody' : notified.join(', '),
  ];
}

function statusText(status: number): string {
  return SEVERITY_WORDS[severityOf(status)];
}

function outputText(output: string, inhibitor: ReportCheck['inhibited_by']): string {
  return inhibitor === undefined
    ? cutOutput(output)
    : `inhibited by ${inhibitor.client}/${inhibitor.check}  ${cutOutput(output)}`;
}

function cutOutput(output: string): string {
  return output.length > OUTPUT_MAX ? `${output.slice(0, OUTPUT_MAX).toWellFormed()}…` : output;
}
