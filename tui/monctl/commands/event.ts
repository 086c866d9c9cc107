import { formatDuration } from '../../../shared/domain/duration.ts';
import { eventRow } from '../../../shared/domain/event-row.ts';
import { matchesSearch, parseSearch } from '../../../shared/domain/search.ts';
import type { Search } from '../../../shared/domain/search.ts';
import { severityOf } from '../../../shared/domain/severity.ts';
import type { Severity } from '../../../shared/domain/severity.ts';
import { safeText } from '../../../shared/domain/terminal-text.ts';
import { MonError } from '../../../shared/errors.ts';
import type { Event } from '../../../shared/schemas/event.ts';
import type { EventRow } from '../../../shared/schemas/feed.ts';
import type { Call, Command } from '../command.ts';
import { record, table } from '../table.ts';
import type { Column, Style } from '../table.ts';
import { ago, timestamp } from '../times.ts';

const STATUS_WORD: Readonly<Record<Severity, string>> = {
  ok: 'OK',
  warning: 'WARN',
  critical: 'CRIT',
  unknown: 'UNKN',
};

const STATUS_STYLE: Readonly<Record<Severity, Style>> = {
  ok: 'green',
  warning: 'yellow',
  critical: ['red', 'bold'],
  unknown: 'magenta',
};

/** What `--status` takes; numbers stand for themselves. */
const STATUS_NAMES: Readonly<Record<string, Severity>> = {
  ok: 'ok',
  warn: 'warning',
  warning: 'warning',
  crit: 'critical',
  critical: 'critical',
  unkn: 'unknown',
  unknown: 'unknown',
};

/** Worst first; what is silenced comes last, as in the console. */
const SEVERITY_ORDER: readonly Severity[] = ['critical', 'warning', 'unknown', 'ok'];

interface Listed {
  readonly event: Event;
  readonly row: EventRow;
}

const list: Command = {
  words: ['event', 'list'],
  summary: 'List events, the worst first',
  details: ['Of equal severity the newest comes first, and silenced events come last.', 'All conditions must hold.'],
  operands: [],
  options: {
    client: { type: 'value', value: 'NAME', text: 'only events of this client' },
    check: { type: 'value', value: 'NAME', text: 'only events of this check' },
    status: { type: 'value', value: 'STATUS,...', text: 'ok, warn, crit, unknown or numbers' },
    silenced: { type: 'switch', text: 'only silenced events; --no-silenced: only the others' },
    search: { type: 'value', value: 'TEXT', text: "as in the console: 'status>=warn age>1h disk'" },
    limit: { type: 'value', value: 'N', text: 'at most so many' },
  },
  examples: [
    ['monctl event list --status crit --no-silenced', 'what needs somebody now'],
    ["monctl event list --search 'client~web-* age>1h' --output json", 'old trouble of the web servers, for a program'],
  ],
  async run({ api, flags, output, nowMs }) {
    const limit = numberFlag('limit', flags.value('limit'));
    const isListed = selection(flags, Math.floor(nowMs / 1000));
    const client = flags.value('client');
    const all = await api().events(client === undefined ? {} : { client });
    const found = all.map((event): Listed => ({ event, row: eventRow(event) })).filter(({ row }) => isListed(row));
    const listed = found.toSorted(compareListed).slice(0, limit);
    await output.show(
      listed.map(({ event }) => event),
      () => (listed.length === 0 ? '' : table(listColumns(nowMs), listed, output.look)),
    );
    if (listed.length === 0) output.note(all.length === 0 ? 'no events' : 'no event matches');
    else if (listed.length < found.length) output.note(`${String(listed.length)} of ${String(found.length)} events`);
  },
};

const info: Command = {
  words: ['event', 'info'],
  summary: 'Show one event with its whole output',
  operands: ['CLIENT', 'CHECK'],
  options: {},
  examples: [['monctl event info web-001 http-frontend', 'everything about it']],
  async run({ api, operands: [client = '', check = ''], output, nowMs }) {
    const event = await api().event(client, check);
    if (event === undefined) throw new MonError('not_found', `there is no event ${client}/${check}`);
    await output.show(event, () => eventText(event, nowMs, output.look));
  },
};

const resolve: Command = {
  words: ['event', 'resolve'],
  summary: 'Resolve an event as if its check had reported OK',
  details: ['The next result of the check decides again.'],
  operands: ['CLIENT', 'CHECK'],
  options: {},
  examples: [['monctl event resolve web-001 http-frontend', 'close it by hand']],
  async run({ api, operands: [client = '', check = ''], output }) {
    const answer = await api().resolve({ client, check });
    await output.show({ client, check, ...answer }, () =>
      safeText(`resolving ${client}/${check}, asked at ${timestamp(answer.issued)}`),
    );
  },
};

export const eventCommands: readonly Command[] = [list, info, resolve];

/** The conditions of the command line as one. */
function selection(flags: Call['flags'], nowSeconds: number): (row: EventRow) => boolean {
  const check = flags.value('check');
  const silenced = flags.switch('silenced');
  const hasStatus = statusFlag(flags.value('status'));
  const search = searchFlag(flags.value('search'));
  return (row) =>
    (check === undefined || row.check === check) &&
    (silenced === undefined || row.silenced_by.length > 0 === silenced) &&
    hasStatus(row.status) &&
    matchesSearch(search, row, nowSeconds);
}

function searchFlag(text = ''): Search {
  const search = parseSearch(text);
  if (search.kind === 'search') return search;
  const pointer = `${' '.repeat(search.position)}^`;
  throw new MonError('invalid', `--search: ${search.message}\n  ${text.replaceAll(/\s/g, ' ')}\n  ${pointer}`);
}

function statusFlag(text: string | undefined): (status: number) => boolean {
  if (text === undefined) return () => true;
  const conditions = text.split(',').map((part): ((status: number) => boolean) => {
    const word = part.trim().toLowerCase();
    const severity = Object.hasOwn(STATUS_NAMES, word) ? STATUS_NAMES[word] : undefined;
    if (severity !== undefined) return (status) => severityOf(status) === severity;
    if (/^-?\d{1,9}$/.test(word)) return (status) => status === Number(word);
    throw new MonError('invalid', `--status must be ok, warn, crit, unknown or a number, not ${JSON.stringify(part)}`);
  });
  return (status) => conditions.some((holds) => holds(status));
}

function numberFlag(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new MonError('invalid', `--${name} must be a number from 1, not ${text}`);
  return Number(text);
}

function compareListed({ row: a }: Listed, { row: b }: Listed): number {
  return rank(a) - rank(b) || b.since - a.since || compareText(a.client, b.client) || compareText(a.check, b.check);
}

function rank(row: EventRow): number {
  return row.silenced_by.length > 0 ? SEVERITY_ORDER.length : SEVERITY_ORDER.indexOf(severityOf(row.status));
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function listColumns(nowMs: number): readonly Column<Listed>[] {
  const age = (seconds: number): string => formatDuration(nowMs / 1000 - seconds, 1);
  return [
    {
      title: 'STATUS',
      text: ({ row }) => STATUS_WORD[severityOf(row.status)],
      style: ({ row }) => (row.silenced_by.length > 0 ? 'dim' : STATUS_STYLE[severityOf(row.status)]),
    },
    { title: 'CLIENT', text: ({ row }) => row.client },
    { title: 'CHECK', text: ({ row }) => row.check },
    { title: 'COUNT', align: 'right', text: ({ row }) => String(row.occurrences) },
    { title: 'AGE', align: 'right', text: ({ row }) => age(row.since) },
    { title: 'LAST', align: 'right', text: ({ row }) => age(row.last) },
    { title: 'STATE', text: ({ row }) => stateWord(row) },
    { title: 'OUTPUT', text: ({ row }) => row.output },
  ];
}

function stateWord({ silenced_by, action }: EventRow): string {
  if (silenced_by.length > 0) return 'silenced';
  return action === 'flapping' ? 'flapping' : '';
}

function eventText(event: Event, nowMs: number, look: Parameters<typeof record>[1]): string {
  const { client, check } = event;
  const { since, status } = eventRow(event);
  const fields: (readonly [string, string])[] = [
    ['client', client.name],
    ['check', check.name],
    ['status', `${STATUS_WORD[severityOf(status)]} (${String(status)})`],
    ['since', ago(since, nowMs)],
    ['last result', ago(event.timestamp, nowMs)],
    ['last OK', event.last_ok === null ? 'never' : ago(event.last_ok, nowMs)],
    ['occurrences', `${String(event.occurrences)} (at most ${String(event.occurrences_watermark)})`],
    ['action', event.action],
    ['history', check.history.join(' ')],
    ['state change', `${String(check.total_state_change)} %`],
    ['silenced by', event.silenced_by.length === 0 ? 'nothing' : event.silenced_by.join(', ')],
    ['address', client.address],
    ['subscriptions', client.subscriptions.join(', ')],
    ['id', event.id],
  ];
  const output = (look.raw ? check.output : safeText(check.output)).trimEnd();
  return `${record(fields, look)}\n\n${output === '' ? '(no output)' : output}`;
}
