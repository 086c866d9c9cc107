import { switchOption, valueOption } from '../flags.ts';
import type { ApiClient } from '../../../shared/client/api-client.ts';
import type { DefinedCheck } from '../../../shared/schemas/scheduled-check.ts';
import { commandText } from '../../../shared/domain/command-text.ts';
import { formatDuration } from '../../../shared/domain/duration.ts';
import { CHECK_SEARCH } from '../../../shared/domain/list-searches.ts';
import { carryOut, CHANGE_OPTIONS, DELETE_OPTIONS } from '../change.ts';
import type { CommandCall, Command } from '../command.ts';
import { defaultCreator } from '../creator.ts';
import { FILTER_OPTION } from '../filter-flag.ts';
import { requireExisting } from '../require-existing.ts';
import { withoutUndefined } from '../../../shared/domain/without-undefined.ts';
import { LIST_OPTIONS, showList } from '../list.ts';
import { showYaml } from '../output.ts';
import { countedNoun } from '../counted-noun.ts';
import { alsoInNamespaces, inAnyNamespace, NAMESPACE_OPTION } from '../namespaces.ts';
import { eventCounts } from '../severity-text.ts';
import type { Column } from '../table.ts';
import { timestampText } from '../times.ts';
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
  summary: 'List the checks that the backend schedules, sorted by name',
  details: [
    'Standalone checks are not listed, because they are defined only on their clients.',
    'With --namespace or --all-namespaces, the command lists the check definitions of the v2 API.',
  ],
  options: {
    subscription: valueOption('NAME', 'only checks for this subscription', { completes: 'subscription' }),
    filter: FILTER_OPTION,
    ...LIST_OPTIONS,
  },
  examples: [
    ['monctl check list --subscription web', 'checks of the web servers'],
    ["monctl check list -q 'interval>=5m critical>0'", 'infrequent checks that are critical somewhere'],
  ],
  async run(call) {
    const subscription = call.flags.value('subscription');
    await showList<DefinedCheck>(call, {
      noun: 'checks',
      columns: checkColumns,
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
  examples: [['monctl check info disk', 'the effective definition']],
  async run({ api, operands: [name = ''], output }) {
    const check = await requireCheck(api(), name);
    await showYaml(output, check);
    if (check.subdued === true) output.note(subduedNote(name));
  },
};

const info = alsoInNamespaces(infoDefault, NAMESPACE_OPTION, showDefinition);

const remove: Command = {
  words: ['check', 'delete'],
  summary: 'Delete a check definition from the store; with --results, delete the results instead',
  details: [
    'To delete a check from the configuration file, edit that file: the backend refuses to delete such a check.',
    'Results and events are kept. --results resolves the events of the check and deletes its results on all clients; a check that is still defined reports again soon.',
    'If the check was renamed, keep its history with "monctl check rename".',
  ],
  operands: ['CHECK'],
  options: {
    results: switchOption('delete the results of the check and resolve its events, but keep its definition'),
    ...NAMESPACE_OPTION,
    ...DELETE_OPTIONS,
  },
  examples: [
    ['monctl check delete disk --namespace staging', 'a stored definition'],
    ['monctl check delete old-disk --results', 'results of a removed check'],
  ],
  async run(call) {
    if (call.flags.switch('results') !== true) return deleteDefinition(call);
    await deleteResults(call);
  },
};

async function deleteResults(call: CommandCall): Promise<void> {
  const [name = ''] = call.operands;
  await carryOut(call, {
    send: (api) => api.deleteCheck(name),
    effects: () => deleteEffects(call, name),
    question: `delete all results of ${name}`,
    value: (answer) => ({ check: name, ...answer }),
    successText: ({ issued }) => `deleting results of ${name}, requested at ${timestampText(issued)}`,
  });
}

const request: Command = {
  words: ['check', 'request'],
  summary: 'Run a check now',
  operands: ['CHECK'],
  options: {
    subscribers: valueOption(
      'NAME,...',
      'run the check on clients with these subscriptions; default: the subscriptions in its definition',
      { completes: 'subscription' },
    ),
    reason: valueOption('TEXT', 'reason for the request; it is added to each result'),
    creator: valueOption('TEXT', 'name to record as the creator; default: USER@host'),
    ...CHANGE_OPTIONS,
  },
  examples: [['monctl check request disk --subscribers client:web-001', 'on one client']],
  async run(call) {
    const { env, flags } = call;
    const [check = ''] = call.operands;
    const subscribers = flags.list('subscribers');
    const order = withoutUndefined({
      check,
      subscribers,
      reason: flags.value('reason'),
      creator: flags.value('creator') ?? defaultCreator(env),
    });
    await carryOut(call, {
      send: (api) => api.requestCheck(order),
      effects: () => requestEffects(call, check, subscribers),
      value: (answer) => ({ ...order, ...answer }),
      successText: ({ issued }) =>
        `requested ${check} at ${timestampText(issued)}: results arrive when the clients have run it`,
    });
  },
};

const rename: Command = {
  words: ['check', 'rename'],
  summary: 'Move results, history and events of a check to its new name',
  details: [
    'First change the check name in the configuration and reload the backend, then run this command.',
    'The command can be repeated after an interruption. Silences keep the old name.',
  ],
  operands: ['OLD', 'NEW'],
  completes: ['check', 'check'],
  options: {
    force: switchOption('rename even if the check OLD is still defined or a client has results under both names'),
    ...CHANGE_OPTIONS,
  },
  examples: [['monctl check rename disk disk-usage', 'after changing and reloading the configuration']],
  async run(call) {
    const [old = '', to = ''] = call.operands;
    await carryOut(call, {
      send: (api) => api.renameCheck(old, to, call.flags.switch('force') ?? false),
      effects: () => renameEffects(call, old, to),
      value: (answer) => ({ check: old, to, ...answer }),
      successText: ({ moved }) => `renamed ${old} to ${to} on ${countedNoun(moved, 'clients')}`,
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

function requireCheck(api: ApiClient, name: string): Promise<DefinedCheck> {
  return requireExisting(api.check(name), `there is no scheduled check ${name}: see monctl check list`);
}

async function deleteEffects({ api }: CommandCall, check: string): Promise<readonly string[]> {
  const [definition, results, events] = await Promise.all([
    api().check(check),
    api().results({ check }),
    api().events({ check }),
  ]);
  return [
    `${countedNoun(results.length, 'results')} of ${check} would be deleted`,
    `${eventCounts(events)} would be resolved`,
    ...(definition === undefined ? [] : [`${check} is still defined: its next results will arrive again`]),
  ];
}

async function requestEffects(
  { api }: CommandCall,
  name: string,
  subscribers: readonly string[] | undefined,
): Promise<readonly string[]> {
  const [definition, clients] = await Promise.all([requireCheck(api(), name), api().clients()]);
  const targets = subscribers ?? definition.subscribers ?? [];
  const reached = clients.filter(({ subscriptions }) => subscriptions.some((one) => targets.includes(one)));
  return [
    `${name} would be requested of ${targets.length === 0 ? 'no subscription' : targets.join(', ')}`,
    `${countedNoun(reached.length, 'clients')} with one of these subscriptions`,
  ];
}

async function renameEffects({ api }: CommandCall, old: string, to: string): Promise<readonly string[]> {
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
    `${countedNoun(results.length, 'results')} of ${old} would move to ${to}`,
    `with ${eventCounts(events)}`,
    ...(conflicts === 0 ? [] : [`${countedNoun(conflicts, 'clients')} with results of both; use --force`]),
    ...(definition === undefined ? [] : [`${old} is still defined; use --force`]),
    ...(silenced.length === 0
      ? []
      : [`these silences match ${old} but not ${to}: ${silenced.map(({ id }) => id).join(', ')}`]),
  ];
}

function checkColumns(nowMs: number): readonly Column<DefinedCheck>[] {
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
