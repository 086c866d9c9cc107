import { switchOption, valueOption } from '../flags.ts';
import { formatDuration } from '../../../shared/domain/duration.ts';
import type { ApiClient } from '../../../shared/client/api-client.ts';
import { eventOrder } from '../../../shared/domain/event-order.ts';
import { eventRow } from '../../../shared/domain/event-row.ts';
import { languageForItems } from '../../../shared/domain/search-language.ts';
import { EVENT_SEARCH } from '../../../shared/domain/search.ts';
import type { ShownEscalation } from '../../../shared/schemas/escalation.ts';
import { escalationText, nextEscalation, shortEscalationText } from '../../words/escalation-text.ts';
import { acknowledgementText } from '../../words/acknowledgement-text.ts';
import { recoveryWords } from '../../../shared/domain/recovery.ts';
import type { Event } from '../../../shared/schemas/event.ts';
import { eventKey } from '../../../shared/domain/event-key.ts';
import type { EventRow } from '../../../shared/schemas/feed.ts';
import { carryOut, CHANGE_OPTIONS, DELETE_OPTIONS } from '../change.ts';
import type { CommandCall, Command } from '../command.ts';
import { FILTER_OPTION } from '../filter-flag.ts';
import { followTopic } from '../follow.ts';
import { requireExisting } from '../require-existing.ts';
import { withoutUndefined } from '../../../shared/domain/without-undefined.ts';
import { AT_OPTION, showListAt } from '../at-time.ts';
import { LIST_OPTIONS, type List } from '../list.ts';
import { EVERY_NAMESPACE } from '../../../shared/schemas/namespace.ts';
import { inAnyNamespace, NAMESPACES_OPTIONS, namespacesOf } from '../namespaces.ts';
import { parseStatusFilter, STATUS_WORDS, statusStyle, statusText, statusWord } from '../severity-text.ts';
import { recordWithOutput, type Column, type TableStyle } from '../table.ts';
import { timeWithAge, timestampText } from '../times.ts';
import { handlingText } from '../handling-text.ts';
import { notificationAnswer } from '../../words/notified-text.ts';
import { findRecurring } from '../silence-recurrence.ts';

/** A row of the event list. `event`, the complete event, is absent in rows of the live feed and of the past. */
interface ListedEvent {
  readonly row: EventRow;
  readonly event?: Event;
}

const compareByStatus = eventOrder('status');

const list: Command = {
  words: ['event', 'list'],
  summary: 'List events, worst first',
  details: [
    'Events with the same severity are sorted newest first; silenced events come last.',
    'If you combine options, a row must match all of them.',
  ],
  options: {
    client: valueOption('NAME', 'only events of this client', { completes: 'client' }),
    check: valueOption('NAME', 'only events of this check', { completes: 'reported-check' }),
    status: valueOption('STATUS,...', 'only these statuses: ok, warn, crit, unknown or numbers', {
      completes: STATUS_WORDS,
    }),
    silenced: switchOption('only silenced events; --no-silenced: only events that are not silenced'),
    filter: FILTER_OPTION,
    search: valueOption('TEXT', 'same as --filter'),
    ...AT_OPTION,
    ...NAMESPACES_OPTIONS,
    ...LIST_OPTIONS,
  },
  examples: [
    ['monctl event list --status crit --no-silenced', 'events that need attention now'],
    ["monctl event list --filter 'client~web-* age>1h' --output json", 'old events of the web servers, as JSON'],
    ['monctl event list --no-silenced --watch', 'watch changes'],
    ['monctl event list --at 2h', 'events open two hours ago'],
  ],
  async run(call) {
    const { api, flags } = call;
    const isListed = eventPredicate(flags);
    const client = flags.value('client');
    const isAllNamespaces = namespacesOf(call) === undefined;
    const namespace = isAllNamespaces ? EVERY_NAMESPACE : call.namespace;
    const all: List<ListedEvent> = {
      noun: 'events',
      columns: (nowMs, items) => [
        ...(isAllNamespaces ? [{ title: 'NAMESPACE', text: ({ row }: ListedEvent) => row.namespace ?? '' }] : []),
        ...listColumns(nowMs, items),
      ],
      search: languageForItems(EVENT_SEARCH, ({ row }) => row),
      key: ({ row }) => keyOf(row),
      value: ({ row, event }) => event ?? row,
      // The comparison for changes covers only the state of an event: a further result with the same status is not a
      // change.
      comparedPart: ({ row }) => [row.status, row.action, row.silenced_by, row.recovering !== undefined, stepsOf(row)],
      async fetch() {
        const [events, rows] = await Promise.all([
          api().events(withoutUndefined({ client })),
          api().recoveringOrEscalated(),
        ]);
        return addMonAttributes(events, rows).map((event) => ({ event, row: eventRow(event) }));
      },
      select: (events) => events.filter(({ row }) => isListed(row)).toSorted((a, b) => compareByStatus(a.row, b.row)),
      follow: () =>
        followTopic({ ...call, namespace }, 'events', ({ events }) => Array.from(events.values(), (row) => ({ row }))),
    };
    await showListAt(call, all, ({ events }) =>
      events.filter((row) => client === undefined || row.client === client).map((row) => ({ row })),
    );
  },
};

const followList: Command = {
  ...list,
  words: ['event', 'follow'],
  summary: 'Same as "monctl event list --watch"',
  examples: [["monctl event follow --filter 'status>=crit and not silenced'", 'follow events that need attention']],
  run: (call) => list.run({ ...call, flags: call.flags.withSwitch('watch') }),
};

const info: Command = {
  words: ['event', 'info'],
  summary: 'Show one event with its full output',
  operands: ['CLIENT', 'CHECK'],
  options: {},
  examples: [['monctl event info web-001 http-frontend', 'all details']],
  async run({ api, operands: [client = '', check = ''], output, nowMs }) {
    const [stored, rows] = await Promise.all([requireEvent(api(), client, check), api().recoveringOrEscalated()]);
    const [event = stored] = addMonAttributes([stored], rows);
    await output.show(event, () => eventText(event, nowMs, output.look));
  },
};

const explain: Command = {
  words: ['event', 'explain'],
  summary: 'Explain which handlers run for an event, which do not, and why',
  details: [
    'The event is evaluated with the current definitions and silences. The output also shows the last run of each handler.',
  ],
  operands: ['CLIENT', 'CHECK'],
  options: {},
  examples: [['monctl event explain web-001 http-frontend', 'find out why nobody was notified']],
  async run({ api, operands: [client = '', check = ''], output, nowMs }) {
    const missing = `there is no event and no result of ${client}/${check}`;
    const explanation = await requireExisting(api().explainEvent(client, check), missing);
    const recurring = await findRecurring(api(), explanation.event?.silenced_by ?? []);
    const answer = notificationAnswer(explanation, nowMs);
    await output.show(explanation, () => handlingText(explanation, nowMs, output.look, recurring, answer));
  },
};

const resolve: Command = {
  words: ['event', 'resolve'],
  summary: 'Resolve an event as if its check had reported OK',
  details: ['The next failing result opens the event again.'],
  operands: ['CLIENT', 'CHECK'],
  options: CHANGE_OPTIONS,
  examples: [['monctl event resolve web-001 http-frontend', 'resolve it manually']],
  async run(call) {
    const [client = '', check = ''] = call.operands;
    await carryOut(call, {
      send: (api) => api.resolve({ client, check }),
      effects: () => resolveEffects(call, client, check),
      value: (answer) => ({ client, check, ...answer }),
      successText: ({ issued }) => `resolving ${client}/${check}, requested at ${timestampText(issued)}`,
    });
  },
};

const remove: Command = {
  ...resolve,
  words: ['event', 'delete'],
  summary: 'Same as "monctl event resolve"',
  // Scripts for Sensu Go pass this option; it is accepted, although this command asks for no confirmation.
  options: { ...CHANGE_OPTIONS, 'skip-confirm': DELETE_OPTIONS['skip-confirm'] },
  examples: [['monctl event delete web-001 http-frontend', 'resolve it manually']],
};

export const eventCommands: readonly Command[] = [
  list,
  followList,
  ...[info, explain, resolve, remove].map(inAnyNamespace),
];

async function resolveEffects({ api, nowMs }: CommandCall, client: string, check: string): Promise<readonly string[]> {
  const event = await requireEvent(api(), client, check);
  const matching = await Promise.all(event.silenced_by.map((id) => api().silencedEntry(id)));
  const ending = matching.flatMap((entry) => (entry?.expire_on_resolve === true ? [entry.id] : []));
  const since = formatDuration(nowMs / 1000 - eventRow(event).since);
  return [
    `the event ${client}/${check}, ${statusText(event.check.status)} for ${since}, would be resolved`,
    ...ending.map((id) => `the silence ${id} would end with it`),
  ];
}

function requireEvent(api: ApiClient, client: string, check: string): Promise<Event> {
  return requireExisting(api.event(client, check), `there is no event ${client}/${check}`);
}

/**
 * Returns a predicate for the options `--client`, `--check`, `--status` and `--silenced`. `--filter` is applied
 * separately.
 */
function eventPredicate(flags: CommandCall['flags']): (row: EventRow) => boolean {
  const client = flags.value('client');
  const check = flags.value('check');
  const silenced = flags.switch('silenced');
  const hasStatus = parseStatusFilter(flags.value('status'));
  return (row) =>
    (client === undefined || row.client === client) &&
    (check === undefined || row.check === check) &&
    (silenced === undefined || row.silenced_by.length > 0 === silenced) &&
    hasStatus(row.status);
}

function listColumns(nowMs: number, items: readonly ListedEvent[]): readonly Column<ListedEvent>[] {
  const age = (seconds: number): string => formatDuration(nowMs / 1000 - seconds, 1);
  return [
    {
      title: 'STATUS',
      text: ({ row }) => statusWord(row.status),
      style: ({ row }) => (row.silenced_by.length > 0 ? 'dim' : statusStyle(row.status)),
      order: ({ row }) => row.status,
    },
    { title: 'CLIENT', text: ({ row }) => row.client },
    { title: 'CHECK', text: ({ row }) => row.check },
    { title: 'COUNT', align: 'right', text: ({ row }) => String(row.occurrences) },
    { title: 'AGE', align: 'right', text: ({ row }) => age(row.since), order: ({ row }) => -row.since },
    { title: 'LAST', align: 'right', text: ({ row }) => age(row.last), order: ({ row }) => -row.last },
    { title: 'STATE', text: ({ row }) => stateWord(row) },
    ...(items.some(({ row }) => row.escalations !== undefined) ? escalationColumns(nowMs) : []),
    { title: 'SINCE', text: ({ row }) => timestampText(row.since), order: ({ row }) => row.since, isWide: true },
    { title: 'SILENCED BY', text: ({ row }) => row.silenced_by.join(', '), isWide: true },
    { title: 'OUTPUT', text: ({ row }) => row.output },
  ];
}

/** The columns about escalations. They are only there if an event has escalated. */
function escalationColumns(nowMs: number): readonly Column<ListedEvent>[] {
  return [
    {
      title: 'ESC',
      text: ({ row }) => {
        const escalation = nextEscalation(row.escalations);
        return escalation === undefined ? '' : shortEscalationText(escalation, nowMs);
      },
      order: ({ row }) => nextEscalation(row.escalations)?.due ?? Number.MAX_SAFE_INTEGER,
    },
    { title: 'ESCALATION', text: ({ row }) => escalationTexts(row.escalations, nowMs), isWide: true },
  ];
}

function escalationTexts(escalations: readonly ShownEscalation[] = [], nowMs: number): string {
  return escalations.map((escalation) => escalationText(escalation, nowMs)).join('; ');
}

/** Returns the last step of each escalation of an event. */
function stepsOf({ escalations = [] }: EventRow): readonly number[] {
  return escalations.map(({ step }) => step);
}

/**
 * Adds the progress of recoveries and escalations to events of the v1 API, which lacks them, from rows of the mon API.
 */
function addMonAttributes(events: readonly Event[], rows: readonly EventRow[]): readonly Event[] {
  if (rows.length === 0) return events;
  const byKey = new Map(rows.map((row) => [keyOf(row), row]));
  return events.map((event) => {
    const { recovering, escalations } = byKey.get(keyOf(eventRow(event))) ?? {};
    return {
      ...event,
      ...(recovering !== undefined && { recovering }),
      ...(escalations !== undefined && { escalations }),
    };
  });
}

function keyOf({ namespace, client, check }: EventRow): string {
  return namespace === undefined ? eventKey(client, check) : `${namespace}/${eventKey(client, check)}`;
}

function stateWord({ silenced_by, action, recovering, acknowledged }: EventRow): string {
  if (silenced_by.length > 0) return 'silenced';
  if (acknowledged !== undefined) return `acknowledged by ${acknowledged.by}`;
  if (recovering !== undefined) return `recovering, ${recoveryWords(recovering)}`;
  return action === 'flapping' ? 'flapping' : '';
}

function eventText(event: Event, nowMs: number, look: TableStyle): string {
  const { client, check } = event;
  const { since, status } = eventRow(event);
  const fields: (readonly [string, string])[] = [
    ['client', client.name],
    ['check', check.name],
    ['status', statusText(status)],
    ['since', timeWithAge(since, nowMs)],
    ['last result', timeWithAge(event.timestamp, nowMs)],
    ['last OK', event.last_ok === null ? 'never' : timeWithAge(event.last_ok, nowMs)],
    ['occurrences', `${String(event.occurrences)} (at most ${String(event.occurrences_watermark)})`],
    ['action', event.action],
    ...(event.recovering === undefined ? [] : [['recovering', recoveryWords(event.recovering)] as const]),
    ...(event.acknowledged === undefined ? [] : [['owner', acknowledgementText(event.acknowledged, nowMs)] as const]),
    ...(event.escalations === undefined ? [] : [['escalation', escalationTexts(event.escalations, nowMs)] as const]),
    ['history', check.history.join(' ')],
    ['state change', `${String(check.total_state_change)} %`],
    ['silenced by', event.silenced_by.length === 0 ? 'nothing' : event.silenced_by.join(', ')],
    ['address', client.address],
    ['subscriptions', client.subscriptions.join(', ')],
    ['id', event.id],
  ];
  return recordWithOutput(fields, check.output, look);
}
