import { escalationChangeText } from '../../../shared/domain/notify/escalation-change.ts';
import { silenceName } from '../../../shared/domain/silence-name.ts';
import { valueOption } from '../flags.ts';
import { formatDuration } from '../../../shared/domain/duration.ts';
import type { ApiClient } from '../../../shared/client/api-client.ts';
import type { Availability, AvailabilityReport } from '../../../shared/schemas/availability.ts';
import type { TimelineRow } from '../../../shared/schemas/timeline.ts';
import type { CommandCall, Command } from '../command.ts';
import { FILTER_OPTION } from '../filter-flag.ts';
import { withoutUndefined } from '../../../shared/domain/without-undefined.ts';
import { inAnyNamespace } from '../namespaces.ts';
import { SPAN_OPTIONS, spanOf } from '../past-span.ts';
import { statusStyle, statusWord } from '../severity-text.ts';
import { ROW_OPTIONS, showRows } from '../rows.ts';
import type { Column } from '../table.ts';
import { timestampText } from '../times.ts';

/** Maximum number of transitions that the backend returns in one response. */
const PAGE_TRANSITIONS_MAX = 1000;

/** Default maximum number of rows that are printed. */
const ROWS_DEFAULT = 100;

const timeline: Command = {
  words: ['event', 'timeline'],
  summary: 'Show the history of check statuses and silences, newest first',
  details: ['Without CLIENT, the command shows all clients. With CLIENT and CHECK, it also shows matching silences.'],
  operands: ['[CLIENT]', '[CHECK]'],
  options: {
    ...SPAN_OPTIONS,
    filter: FILTER_OPTION,
    limit: valueOption('N', `maximum number of rows; default ${String(ROWS_DEFAULT)}`),
    ...ROW_OPTIONS,
  },
  examples: [
    ['monctl event timeline web-001 http-frontend --since 24h', 'the last 24 hours of a check'],
    ["monctl event timeline --since 1h --filter 'kind=create status=crit'", 'what broke in the last hour'],
  ],
  async run(call) {
    const { api, flags, output } = call;
    const transitions = await fetchNewest(
      api(),
      { ...filtersOf(call), ...withoutUndefined({ q: flags.value('filter') }), ...spanOf(call) },
      flags.number('limit') ?? ROWS_DEFAULT,
    );
    await showRows(call, { columns: () => TIMELINE_COLUMNS, key: transitionKey }, transitions);
    if (transitions.length === 0) output.note('no transitions');
  },
};

const availability: Command = {
  words: ['event', 'availability'],
  summary: 'Show the availability of checks, worst first',
  details: [
    'The percentage refers to the time with data; silenced failures do not count as unavailable time.',
    'Time without data and silenced time are listed separately.',
  ],
  operands: ['[CLIENT]', '[CHECK]'],
  options: {
    ...SPAN_OPTIONS,
    check: valueOption('NAME', 'only this check, on all clients', { completes: 'reported-check' }),
    aggregate: valueOption('NAME', 'only checks that belong to this aggregate', { completes: 'aggregate' }),
    limit: valueOption('N', `maximum number of rows; default ${String(ROWS_DEFAULT)}`),
    ...ROW_OPTIONS,
  },
  examples: [
    ['monctl event availability web-001 --since 30d', 'all checks of a client, last 30 days'],
    ['monctl event availability --aggregate shop --since 7d', 'the members of an aggregate'],
  ],
  async run(call) {
    const { api, flags } = call;
    const { client, check = flags.value('check') } = filtersOf(call);
    const report = await api().availability(
      withoutUndefined({
        client,
        check,
        aggregate: flags.value('aggregate'),
        limit: flags.number('limit'),
        ...spanOf(call),
      }),
    );
    await showRows(
      call,
      { columns: () => AVAILABILITY_COLUMNS, key: ({ client: of, check: name }) => `${of}/${name}`, document: report },
      linesOf(report),
    );
  },
};

export const timelineCommands: readonly Command[] = [timeline, availability].map(inAnyNamespace);

/** Returns the client and the check that the operands name; the attribute of an omitted operand is absent. */
function filtersOf({ operands: [client = '', check = ''] }: CommandCall): {
  readonly client?: string;
  readonly check?: string;
} {
  return { ...(client !== '' && { client }), ...(check !== '' && { check }) };
}

async function fetchNewest(
  api: ApiClient,
  query: Parameters<ApiClient['timeline']>[0],
  limit: number,
): Promise<TimelineRow[]> {
  const rows: TimelineRow[] = [];
  let after: number | undefined;
  for (;;) {
    const pageSize = Math.min(PAGE_TRANSITIONS_MAX, limit - rows.length);
    const page = await api.timeline({ ...query, ...withoutUndefined({ after }), limit: pageSize });
    rows.push(...page.transitions);
    // With a filter, the backend may return a page that is not full although more pages follow. Only a `next` of null
    // marks the last page.
    if (page.next === null || rows.length >= limit) return rows;
    after = page.next;
  }
}

/** Returns what a transition belongs to: a check of a client, or a silence. */
function transitionKey({ silence, client, subscription, check }: TimelineRow): string {
  return silence ?? [client ?? subscription ?? '', check ?? ''].filter((part) => part !== '').join('/');
}

const TIMELINE_COLUMNS: readonly Column<TimelineRow>[] = [
  { title: 'TIME', text: ({ at }) => timestampText(Math.floor(at / 1000)), order: ({ at }) => at },
  { title: 'WHAT', text: ({ kind }) => kind },
  {
    title: 'STATUS',
    text: ({ was, status }) =>
      was === undefined || was === status
        ? statusWordOrDash(status)
        : `${statusWordOrDash(was)} > ${statusWordOrDash(status)}`,
    style: ({ status }) => (status === undefined ? undefined : statusStyle(status)),
    order: ({ status }) => status ?? '',
  },
  { title: 'CLIENT', text: ({ client, subscription }) => client ?? subscription ?? '' },
  { title: 'CHECK', text: ({ check }) => check ?? '' },
  { title: 'BY', text: ({ by }) => by ?? '' },
  { title: 'DETAILS', text: detailsOf },
];

function statusWordOrDash(status: number | undefined): string {
  return status === undefined ? '-' : statusWord(status);
}

function detailsOf(row: TimelineRow): string {
  const { to, silence: id, reason, end, output, flapping, silenced_by: ids = [], escalation } = row;
  if (id !== undefined) {
    const until = end === undefined ? '' : `until ${timestampText(Math.floor(end / 1000))}`;
    return [silenceName({ ...row, id }), reason ?? '', until].filter((part) => part !== '').join(', ');
  }
  // The output is that of the last result, which has not caused the change of the escalation.
  if (escalation !== undefined) return escalationChangeText(escalation);
  const marks = [
    ...(to === undefined ? [] : [`now ${to}`]),
    ...(flapping === true ? ['flapping'] : []),
    ...(ids.length === 0 ? [] : [`silenced by ${ids.join(' ')}`]),
  ];
  return [...marks, output ?? ''].filter((part) => part !== '').join(': ');
}

interface AvailabilityLine extends Availability {
  readonly client: string;
  readonly check: string;
}

/** Returns a line for each check, and a last line with the total unless there is exactly one check. */
function linesOf({ checks, total, count }: AvailabilityReport): readonly AvailabilityLine[] {
  return count === 1 ? checks : [...checks, { client: 'all', check: `${String(count)} checks`, ...total }];
}

const durationOrDash = (seconds: number): string => (seconds === 0 ? '-' : formatDuration(seconds));

const AVAILABILITY_COLUMNS: readonly Column<AvailabilityLine>[] = [
  { title: 'CLIENT', text: ({ client }) => client },
  { title: 'CHECK', text: ({ check }) => check },
  { title: 'OK', align: 'right', text: ({ percent }) => (percent === null ? '-' : `${percentText(percent)} %`) },
  { title: 'OUTAGES', align: 'right', text: ({ outages }) => String(outages) },
  { title: 'WARN', align: 'right', text: ({ warning }) => durationOrDash(warning) },
  { title: 'CRIT', align: 'right', text: ({ critical }) => durationOrDash(critical) },
  { title: 'UNKNOWN', align: 'right', text: ({ unknown }) => durationOrDash(unknown) },
  { title: 'SILENCED', align: 'right', text: ({ silenced }) => durationOrDash(silenced) },
  { title: 'NO DATA', align: 'right', text: ({ no_data: noData }) => durationOrDash(noData) },
];

/** Formats a percentage with three decimals. It is truncated, because rounding would hide a short outage. */
function percentText(percent: number): string {
  return (Math.floor(percent * 1000) / 1000).toFixed(3);
}
