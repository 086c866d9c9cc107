import { switchOption, valueOption } from '../flags.ts';
import { formatDuration } from '../../../shared/domain/duration.ts';
import type { ApiClient } from '../../../shared/client/api-client.ts';
import { CLIENT_SEARCH, hasAgent } from '../../../shared/domain/list-searches.ts';
import { MonError } from '../../../shared/errors.ts';
import type { Client, ClientHistory } from '../../../shared/schemas/client.ts';
import type { ClientRow } from '../../../shared/schemas/feed.ts';
import { carryOut, CHANGE_OPTIONS, DELETE_OPTIONS } from '../change.ts';
import type { CommandCall, Command } from '../command.ts';
import { FILTER_OPTION } from '../filter-flag.ts';
import { followTopic } from '../follow.ts';
import { requireExisting } from '../require-existing.ts';
import { withoutUndefined } from '../../../shared/domain/without-undefined.ts';
import { isObject } from '../../../shared/client/compiled-check.ts';
import { FILE_OPTION, readFileOption } from '../input.ts';
import { AT_OPTION, showListAt } from '../at-time.ts';
import { LIST_OPTIONS, showList, type List } from '../list.ts';
import { countedNoun } from '../counted-noun.ts';
import { eventCounts, statusStyle, statusWord } from '../severity-text.ts';
import { recordText, type Column } from '../table.ts';
import { timeWithAge, timestampText } from '../times.ts';

const list: Command = {
  words: ['client', 'list'],
  summary: 'List clients, sorted by name',
  options: {
    subscription: valueOption('NAME', 'only clients with this subscription', { completes: 'subscription' }),
    ...AT_OPTION,
    filter: FILTER_OPTION,
    ...LIST_OPTIONS,
  },
  examples: [
    ['monctl client list --subscription web', 'the web servers'],
    ["monctl client list -q 'keepalive>5m !version=2.0.0'", 'stale clients with another version'],
  ],
  async run(call) {
    const subscription = call.flags.value('subscription');
    const clientList: List<ClientRow> = {
      noun: 'clients',
      columns: listColumns,
      search: CLIENT_SEARCH,
      key: ({ name }) => name,
      // The comparison for changes omits the time of the last keepalive, which changes every few seconds.
      comparedPart: ({ address, subscriptions, version }) => [address, subscriptions, version],
      fetch: () => call.api().clients(),
      select: (all) =>
        all
          .filter(({ subscriptions }) => subscription === undefined || subscriptions.includes(subscription))
          .toSorted((a, b) => (a.name < b.name ? -1 : 1)),
      follow: () => followTopic(call, 'clients', ({ clients }) => [...clients.values()]),
    };
    await showListAt(call, clientList, ({ clients = [] }) => clients);
  },
};

const info: Command = {
  words: ['client', 'info'],
  summary: 'Show one client',
  operands: ['CLIENT'],
  options: {},
  examples: [['monctl client info web-001 --output yaml', 'with custom attributes']],
  async run({ api, operands: [name = ''], output, nowMs }) {
    const client = await requireClient(api(), name);
    const events = await api().events({ client: name });
    await output.show(client, () =>
      recordText(
        [
          ['name', client.name],
          ['address', client.address],
          ['subscriptions', client.subscriptions.join(', ')],
          ['last seen', timeWithAge(client.timestamp, nowMs)],
          ['keepalives', client.keepalives === false ? 'none expected' : 'expected'],
          ['version', client.version],
          ['events', eventCounts(events)],
        ],
        output.look,
      ),
    );
  },
};

const history: Command = {
  words: ['client', 'history'],
  summary: 'Show the recent statuses of all checks on a client',
  operands: ['CLIENT'],
  options: LIST_OPTIONS,
  examples: [['monctl client history web-001', 'statuses of all checks']],
  async run(call) {
    const { api, operands } = call;
    const [name = ''] = operands;
    await showList<ClientHistory>(call, {
      noun: 'checks',
      columns: historyColumns,
      key: ({ check }) => check,
      async fetch() {
        const histories = await api().clientHistory(name);
        // The history is also empty for an unknown client, so the existence of the client is checked separately.
        if (histories.length === 0) await requireClient(api(), name);
        return histories;
      },
    });
  },
};

const create: Command = {
  words: ['client', 'create'],
  summary: 'Create or replace a client',
  details: ['An existing client is replaced completely: omitted attributes are removed.', 'Options override the file.'],
  operands: ['[CLIENT]'],
  options: {
    file: FILE_OPTION,
    address: valueOption('ADDRESS', 'address of the client; default: "unknown"'),
    subscriptions: valueOption('NAME,...', 'subscriptions of the client; client:NAME is always added', {
      completes: 'subscription',
    }),
    keepalives: switchOption('expect keepalives from this client'),
    ...CHANGE_OPTIONS,
  },
  examples: [
    ['monctl client create router-1 --address 192.0.2.1 --subscriptions network', 'a device without an agent'],
    ['monctl client create --file router-1.yml', 'with custom attributes'],
  ],
  async run(call) {
    const { flags, operands } = call;
    const read = await readFileOption(call);
    if (read !== undefined && !isObject(read))
      throw new MonError('invalid', '--file must contain one client as an object');
    const client: Readonly<Record<string, unknown>> = {
      address: 'unknown',
      ...read,
      ...withoutUndefined({
        name: operands[0] || undefined,
        address: flags.value('address'),
        subscriptions: flags.list('subscriptions'),
        keepalives: flags.switch('keepalives'),
      }),
    };
    const name = client['name'];
    if (typeof name !== 'string')
      throw new MonError('invalid', 'set the name of the client: as CLIENT, or as "name" in the file');
    await carryOut(call, {
      send: (api) => api.saveClient(client),
      effects: async () => [
        (await call.api().client(name)) === undefined
          ? `the client ${name} would be created`
          : `the client ${name} would be replaced completely; its results and events are kept`,
      ],
      value: () => client,
      successText: () => `saved client ${name}`,
    });
  },
};

const remove: Command = {
  words: ['client', 'delete'],
  summary: 'Delete clients and their results, and resolve their events',
  details: [
    'A running agent creates its client again with the next keepalive, unless --invalidate-expire blocks it.',
    'With --selector, each client is deleted only if it still matches at that moment.',
  ],
  operands: ['[CLIENT]'],
  options: {
    invalidate: switchOption('reject new data of the client while the client is being deleted'),
    'invalidate-expire': valueOption('DURATION', 'reject new data of the client for this long; implies --invalidate'),
    selector: valueOption(
      'TEXT',
      'delete all clients that match this filter; same syntax as "monctl client list -q", plus "result>30d" (last result ' +
        'older than 30 days) and "events:0" (no open events)',
    ),
    ...DELETE_OPTIONS,
  },
  examples: [
    ['monctl client delete web-001 --invalidate-expire 1h', 'a host that is being removed'],
    ["monctl client delete --selector 'keepalive>30d result>30d' --dry-run", 'clients without data for a month'],
  ],
  async run(call) {
    const { flags } = call;
    const [name = ''] = call.operands;
    if (flags.value('selector') !== undefined) return removeMatching(call);
    if (name === '') throw new MonError('invalid', 'select one client with CLIENT, or several clients with --selector');
    const expireSeconds = flags.lifetime('invalidate-expire');
    const isInvalidated = flags.switch('invalidate') ?? expireSeconds !== undefined;
    const invalidation = isInvalidated ? withoutUndefined({ expireSeconds }) : undefined;
    await carryOut(call, {
      send: (api) => api.deleteClient(name, invalidation),
      effects: () => deleteEffects(call, name, expireSeconds),
      question: `delete client ${name}`,
      value: (answer) => ({ client: name, ...answer }),
      successText: ({ issued }) => `deleting client ${name}, requested at ${timestampText(issued)}`,
    });
  },
};

/** Maximum number of client names in the confirmation of a deletion. */
const NAMED_CLIENTS_MAX = 5;

async function removeMatching(call: CommandCall): Promise<void> {
  const { api, flags, operands } = call;
  if (operands[0] !== '') throw new MonError('invalid', 'use CLIENT or --selector, not both');
  if (flags.value('invalidate-expire') !== undefined || flags.switch('invalidate') !== undefined) {
    throw new MonError('invalid', '--invalidate and --invalidate-expire can only be used with a single CLIENT');
  }
  const text = flags.value('selector') ?? '';
  if (text.trim() === '')
    throw new MonError('invalid', "--selector needs a search, such as 'keepalive>30d result>30d'");
  await carryOut(call, {
    async send(sender) {
      let deleted = 0;
      for (let more = true; more;) {
        const answer = await sender.deleteClients(text);
        deleted += answer.deleted;
        more = answer.more && answer.deleted > 0;
      }
      return deleted;
    },
    async effects() {
      const { total, first } = await api().findClients(text, NAMED_CLIENTS_MAX);
      if (total === 0)
        throw new MonError('not_found', 'no client matches the selector: test the selector with monctl client list -q');
      const names = total > first.length ? `${first.join(', ')}, ...` : first.join(', ');
      return [`${countedNoun(total, 'clients')} would be deleted, their events resolved: ${names}`];
    },
    question: `delete all clients that match ${text}`,
    value: (deleted) => ({ deleted }),
    successText: (deleted) => `deleted ${countedNoun(deleted, 'clients')}`,
  });
}

export const clientCommands: readonly Command[] = [list, info, history, create, remove];

function requireClient(api: ApiClient, name: string): Promise<Client> {
  return requireExisting(api.client(name), `there is no client ${name}: see monctl client list`);
}

async function deleteEffects(
  { api, nowMs }: CommandCall,
  name: string,
  expireSeconds: number | undefined,
): Promise<readonly string[]> {
  const [client, results, events] = await Promise.all([
    requireClient(api(), name),
    api().results({ client: name }),
    api().events({ client: name }),
  ]);
  return [
    `the client ${name}, last seen ${formatDuration(nowMs / 1000 - client.timestamp)} ago, would be deleted with ${countedNoun(results.length, 'results')}`,
    `${eventCounts(events)} would be resolved`,
    expireSeconds === undefined
      ? 'a running agent would create it again'
      : `its data would be rejected for ${formatDuration(expireSeconds)}`,
  ];
}

function listColumns(nowMs: number): readonly Column<ClientRow>[] {
  return [
    { title: 'CLIENT', text: ({ name }) => name },
    { title: 'ADDRESS', text: ({ address }) => address },
    {
      title: 'LAST SEEN',
      align: 'right',
      text: (client) => (hasAgent(client) ? formatDuration(nowMs / 1000 - client.timestamp, 1) : '-'),
    },
    { title: 'VERSION', text: ({ version }) => version },
    { title: 'SUBSCRIPTIONS', text: ({ subscriptions }) => subscriptions.join(', ') },
  ];
}

function historyColumns(nowMs: number): readonly Column<ClientHistory>[] {
  return [
    {
      title: 'STATUS',
      text: ({ last_status: status }) => (status === null ? '' : statusWord(status)),
      style: ({ last_status: status }) => (status === null ? undefined : statusStyle(status)),
    },
    { title: 'CHECK', text: ({ check }) => check },
    {
      title: 'LAST',
      align: 'right',
      text: ({ last_execution: last }) => (last === null ? '' : formatDuration(nowMs / 1000 - last, 1)),
    },
    { title: 'HISTORY', text: (item) => item.history.join(' ') },
  ];
}
