import { flag, takes } from '../flags.ts';
import type { ApiClient } from '../../../shared/client/api-client.ts';
import type { DefinedCheck } from '../../../shared/schemas/scheduled-check.ts';
import { commandText } from '../../../shared/domain/command-text.ts';
import { formatDuration } from '../../../shared/domain/duration.ts';
import { CHECK_SEARCH } from '../../../shared/domain/search-nouns.ts';
import { carryOut, CHANGE_OPTIONS, DELETE_OPTIONS } from '../change.ts';
import type { Call, Command } from '../command.ts';
import { defaultCreator } from '../creator.ts';
import { FILTER_OPTION } from '../filter-flag.ts';
import { found } from '../found.ts';
import { given } from '../../../shared/domain/given.ts';
import { LIST_OPTIONS, showList } from '../list.ts';
import { showYaml } from '../output.ts';
import { counted } from '../counted.ts';
import { alsoInNamespaces, inAnyNamespace, NAMESPACE_OPTION } from '../namespaces.ts';
import { eventCounts } from '../severity-text.ts';
import type { Column } from '../table.ts';
import { timestamp } from '../times.ts';
import {
  createCheck,
  deleteDefinition,
  executeCheck,
  LIST_NAMESPACES_OPTIONS,
  listInNamespaces,
  showDefinition,
  subduedNote,
} from './check-definition.ts';

const listDefault: Command = {
  words: ['check', 'list'],
  summary: 'List the checks that the backend publishes, by name',
  details: [
    'Standalone checks are known to their clients alone.',
    'With --namespace or --all-namespaces: the definitions as the newer API shows them.',
  ],
  options: {
    subscription: takes('NAME', 'only checks that are published to it', { completes: 'subscription' }),
    filter: FILTER_OPTION,
    ...LIST_OPTIONS,
  },
  examples: [
    ['monctl check list --subscription web', 'what do web servers run'],
    ["monctl check list -q 'interval>=5m critical>0'", 'what is rarely run and critical somewhere'],
  ],
  async run(call) {
    const subscription = call.flags.value('subscription');
    await showList<DefinedCheck>(call, {
      noun: 'checks',
      columns,
      search: CHECK_SEARCH,
      key: ({ name }) => name,
      fetch: () => call.api().checks(),
      select: (all) =>
        all.filter(({ subscribers }) => subscription === undefined || subscribers?.includes(subscription) === true),
    });
  },
};

const list = alsoInNamespaces(listDefault, LIST_NAMESPACES_OPTIONS, listInNamespaces);

const infoDefault: Command = {
  words: ['check', 'info'],
  summary: 'Show the definition of one check',
  operands: ['CHECK'],
  options: {},
  examples: [['monctl check info disk', 'as it is in force now']],
  async run({ api, operands: [name = ''], output }) {
    const check = await wanted(api(), name);
    await showYaml(output, check);
    if (check.subdued === true) output.note(subduedNote(name));
  },
};

const info = alsoInNamespaces(infoDefault, NAMESPACE_OPTION, showDefinition);

const remove: Command = {
  words: ['check', 'delete'],
  summary: 'Delete the stored definition of a check, or with --results what it has reported',
  details: [
    'A check of the configuration file is removed there: the backend refuses to delete it.',
    'Results and events stay until --results resolves the events of the check and deletes its results of all clients. A check that is still defined brings them back soon.',
    'A check that is called something else now keeps its history with monctl check rename.',
  ],
  operands: ['CHECK'],
  options: {
    results: flag('delete results and resolve events; the definition stays'),
    ...NAMESPACE_OPTION,
    ...DELETE_OPTIONS,
  },
  examples: [
    ['monctl check delete disk --namespace staging', 'a definition that the backend stores'],
    ['monctl check delete old-disk --results', 'what is left of a check that is gone'],
  ],
  async run(call) {
    if (call.flags.switch('results') !== true) return deleteDefinition(call);
    await deleteResults(call);
  },
};

async function deleteResults(call: Call): Promise<void> {
  const [name = ''] = call.operands;
  await carryOut(call, {
    send: (api) => api.deleteCheck(name),
    effects: () => deleteEffects(call, name),
    question: `delete all results of ${name}`,
    value: (answer) => ({ check: name, ...answer }),
    said: ({ issued }) => `deleting results of ${name}, asked at ${timestamp(issued)}`,
  });
}

const request: Command = {
  words: ['check', 'request'],
  summary: 'Run a check now, instead of on its schedule',
  operands: ['CHECK'],
  options: {
    subscribers: takes('NAME,...', 'who runs it; default: those of the definition', { completes: 'subscription' }),
    reason: takes('TEXT', 'why; it becomes part of the results'),
    creator: takes('TEXT', 'who; default USER@host'),
    ...CHANGE_OPTIONS,
  },
  examples: [['monctl check request disk --subscribers client:web-001', 'on one machine']],
  async run(call) {
    const { env, flags } = call;
    const [check = ''] = call.operands;
    const subscribers = flags.list('subscribers');
    const order = given({
      check,
      subscribers,
      reason: flags.value('reason'),
      creator: flags.value('creator') ?? defaultCreator(env),
    });
    await carryOut(call, {
      send: (api) => api.requestCheck(order),
      effects: () => requestEffects(call, check, subscribers),
      value: (answer) => ({ ...order, ...answer }),
      said: ({ issued }) => `requested ${check} at ${timestamp(issued)}: its results come when the clients have run it`,
    });
  },
};

const rename: Command = {
  words: ['check', 'rename'],
  summary: 'Give the results, histories and events of a check its new name',
  details: [
    'Change the name in the configuration and reload the backend first, then rename.',
    'It can be called again after it was interrupted. Silenced entries keep the old name.',
  ],
  operands: ['OLD', 'NEW'],
  completes: ['check', 'check'],
  options: {
    force: flag('although OLD is still defined, and where a client has results under both names already'),
    ...CHANGE_OPTIONS,
  },
  examples: [['monctl check rename disk disk-usage', 'after the configuration was changed and reloaded']],
  async run(call) {
    const [old = '', to = ''] = call.operands;
    await carryOut(call, {
      send: (api) => api.renameCheck(old, to, call.flags.switch('force') ?? false),
      effects: () => renameEffects(call, old, to),
      value: (answer) => ({ check: old, to, ...answer }),
      said: ({ moved }) => `renamed ${old} to ${to} on ${counted(moved, 'clients')}`,
    });
  },
};

export const checkCommands: readonly Command[] = [
  list,
  info,
  createCheck,
  inAnyNamespace(request),
  executeCheck,
  inAnyNamespace(rename),
  remove,
];

function wanted(api: ApiClient, name: string): Promise<DefinedCheck> {
  return found(api.check(name), `the backend publishes no check ${name}: see monctl check list`);
}

async function deleteEffects({ api }: Call, check: string): Promise<readonly string[]> {
  const [definition, results, events] = await Promise.all([
    api().check(check),
    api().results({ check }),
    api().events({ check }),
  ]);
  return [
    `deleted would be ${counted(results.length, 'results')} of ${check}`,
    `resolved would be ${eventCounts(events)}`,
    ...(definition === undefined ? [] : [`${check} is still defined: its next results come back`]),
  ];
}

async function requestEffects(
  { api }: Call,
  name: string,
  subscribers: readonly string[] | undefined,
): Promise<readonly string[]> {
  const [definition, clients] = await Promise.all([wanted(api(), name), api().clients()]);
  const asked = subscribers ?? definition.subscribers ?? [];
  const reached = clients.filter(({ subscriptions }) => subscriptions.some((one) => asked.includes(one)));
  return [
    `${name} would be requested of ${asked.length === 0 ? 'nobody' : asked.join(', ')}`,
    `${counted(reached.length, 'clients')} with one of these subscriptions`,
  ];
}

async function renameEffects({ api }: Call, old: string, to: string): Promise<readonly string[]> {
  const [definition, results, present, events, silenced] = await Promise.all([
    api().check(old),
    api().results({ check: old }),
    api().results({ check: to }),
    api().events({ check: old }),
    api().silenced({ check: old }),
  ]);
  const both = new Set(present.map(({ client }) => client));
  const conflicts = results.filter(({ client }) => both.has(client)).length;
  return [
    `${counted(results.length, 'results')} of ${old} would become those of ${to}`,
    `with them ${eventCounts(events)}`,
    ...(conflicts === 0 ? [] : [`${counted(conflicts, 'clients')} with results of both, which takes --force`]),
    ...(definition === undefined ? [] : [`${old} is still defined, which takes --force`]),
    ...(silenced.length === 0
      ? []
      : [`these entries silence ${old} and not ${to}: ${silenced.map(({ id }) => id).join(', ')}`]),
  ];
}

function columns(nowMs: number): readonly Column<DefinedCheck>[] {
  return [
    { title: 'CHECK', text: ({ name }) => name },
    {
      title: 'SCHEDULE',
      text: ({ interval, cron }) =>
        cron ?? (typeof interval === 'number' ? `every ${String(interval)} s` : 'on request'),
    },
    { title: 'NEXT', text: ({ next_run: nextRun }) => nextRunText(nextRun, nowMs) },
    { title: 'SUBSCRIBERS', text: ({ subscribers }) => subscribers?.join(', ') ?? '' },
    { title: 'COMMAND', text: ({ command }) => commandText(command ?? '') },
  ];
}

function nextRunText(nextRun: number | null, nowMs: number): string {
  return nextRun === null ? '-' : `in ${formatDuration(Math.max(0, nextRun - nowMs / 1000))}`;
}
