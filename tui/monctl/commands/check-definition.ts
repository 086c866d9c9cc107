import { switchOption, valueOption } from '../flags.ts';
import type { V2Object } from '../../../shared/client/v2-client.ts';
import { MonError } from '../../../shared/errors.ts';
import { carryOut, CHANGE_OPTIONS, removeObject } from '../change.ts';
import type { CommandCall, Command } from '../command.ts';
import { SELECTOR_OPTIONS, selectorsOf } from '../v2-list.ts';
import { metadataNamespace, nameOf, readNumberAttribute, readTextAttribute, readTextsAttribute } from '../v2-object.ts';
import { defaultCreator } from '../creator.ts';
import { requireExisting } from '../require-existing.ts';
import { withoutUndefined } from '../../../shared/domain/without-undefined.ts';
import { showList } from '../list.ts';
import { listPath, NAMESPACE_OPTION, callNamespace, NAMESPACES_OPTIONS, namespacesOf } from '../namespaces.ts';
import { showYaml } from '../output.ts';
import type { Column } from '../table.ts';
import { timestampText } from '../times.ts';

/** Options of `check list` for the checks of other namespaces, which it lists through the v2 API. */
export const LIST_NAMESPACES_OPTIONS = { ...NAMESPACES_OPTIONS, ...SELECTOR_OPTIONS };

export async function listInNamespaces(call: CommandCall): Promise<void> {
  const namespace = namespacesOf(call);
  const subscription = call.flags.value('subscription');
  await showList<V2Object>(call, {
    noun: 'checks',
    columns: () => checkColumns(namespace === undefined),
    key: (check) => `${metadataNamespace(check)}/${nameOf(check)}`,
    fetch: () => call.v2().list(listPath(namespace, 'checks'), selectorsOf(call)),
    select: (all) =>
      all.filter(
        (check) => subscription === undefined || readTextsAttribute(check, 'subscriptions').includes(subscription),
      ),
  });
}

export async function showDefinition(call: CommandCall): Promise<void> {
  const [name = ''] = call.operands;
  const check = await requireCheck(call, name);
  await showYaml(call.output, check);
  const { subdued } = (await call.api().check(name)) ?? {};
  if (subdued === true) call.output.note(subduedNote(name));
}

/** Returns a note that says that a check is in one of its subdue windows. */
export function subduedNote(name: string): string {
  return `${name} is in a subdue window: the backend does not schedule it now`;
}

/** Deletes the stored definition of a check, but keeps its results and events. */
export async function deleteDefinition(call: CommandCall): Promise<void> {
  const [name = ''] = call.operands;
  const namespace = callNamespace(call);
  await removeObject(call, {
    path: checkPath(namespace, name),
    notFoundMessage: missingCheck(namespace, name),
    async effects() {
      await requireCheck(call, name);
      return [
        `the definition of ${name} in ${namespace} would be deleted; its results and events are kept until they are deleted`,
      ];
    },
    question: `delete the check ${name}`,
    value: { namespace, check: name, deleted: true },
  });
}

export const createCheck: Command = {
  words: ['check', 'create'],
  summary: 'Create a check definition in the store',
  details: [
    'To change a check from the configuration file, edit that file. For more attributes, or a command without a shell, use "monctl create -f".',
  ],
  operands: ['CHECK'],
  // The operand is the name of a new check, so there is nothing to complete.
  completes: [],
  options: {
    command: valueOption('COMMAND', 'command that agents run for the check'),
    interval: valueOption('SECONDS', 'run the check at this interval'),
    cron: valueOption('TEXT', "run the check on this cron schedule: '0 5 * * *'"),
    subscriptions: valueOption('NAME,...', 'run the check on clients with these subscriptions', {
      completes: 'subscription',
    }),
    handlers: valueOption('NAME,...', 'handlers to run for events of this check', { completes: 'handler' }),
    timeout: valueOption('SECONDS', 'kill the command if it runs longer than this'),
    ttl: valueOption('SECONDS', 'open an event if no result arrives within this time'),
    publish: switchOption('run the check on schedule (default); --no-publish: only on request'),
    ...NAMESPACE_OPTION,
    ...CHANGE_OPTIONS,
  },
  examples: [
    [
      'monctl check create disk --command check-disk --interval 60 --subscriptions db',
      'every minute on clients with this subscription',
    ],
  ],
  async run(call) {
    const namespace = callNamespace(call);
    const check = definitionOf(call, namespace);
    const { name } = check.metadata;
    await carryOut(call, {
      async send(_api, v2) {
        const { warnings } = await v2.create(listPath(namespace, 'checks'), check);
        for (const warning of warnings) call.output.note(`${name}: ${warning}`);
      },
      effects: () => [`the check ${name} would be created in ${namespace}`],
      value: () => check,
      successText: () => 'Created',
    });
  },
};

export const executeCheck: Command = {
  words: ['check', 'execute'],
  summary: 'Run a check now, in any namespace',
  details: ['Like "monctl check request", but over the v2 API.'],
  operands: ['CHECK'],
  options: {
    subscriptions: valueOption(
      'NAME,...',
      'run the check on clients with these subscriptions; default: the subscriptions in its definition',
      { completes: 'subscription' },
    ),
    reason: valueOption('TEXT', 'reason for the request; it is added to each result'),
    ...NAMESPACE_OPTION,
    ...CHANGE_OPTIONS,
  },
  examples: [['monctl check execute disk --namespace staging', 'run once, now']],
  async run(call) {
    const [name = ''] = call.operands;
    const namespace = callNamespace(call);
    const subscriptions = call.flags.list('subscriptions');
    const order = withoutUndefined({
      metadata: { name, namespace },
      subscriptions,
      reason: call.flags.value('reason'),
      creator: defaultCreator(call.env),
    });
    await carryOut(call, {
      send: (_api, v2) => v2.execute(namespace, name, order),
      async effects() {
        const check = await requireCheck(call, name);
        const targets = subscriptions ?? readTextsAttribute(check, 'subscriptions');
        return [`${name} would be requested of ${targets.length === 0 ? 'no subscription' : targets.join(', ')}`];
      },
      value: (answer) => ({ check: name, namespace, ...answer }),
      successText: ({ issued }) =>
        `requested ${name} at ${timestampText(issued)}: results arrive when the clients have run it`,
    });
  },
};

function definitionOf(
  { flags, operands: [name = ''] }: CommandCall,
  namespace: string,
): V2Object & { readonly metadata: { readonly name: string; readonly namespace: string } } {
  const [command, cron] = [flags.value('command'), flags.value('cron')];
  const interval = flags.number('interval');
  if (command === undefined) throw new MonError('invalid', 'set the command: --command COMMAND');
  if ((interval === undefined) === (cron === undefined)) {
    throw new MonError('invalid', 'set the schedule: either --interval SECONDS or --cron TEXT');
  }
  return withoutUndefined({
    metadata: { name, namespace },
    command,
    interval,
    cron,
    subscriptions: flags.list('subscriptions') ?? [],
    handlers: flags.list('handlers') ?? [],
    timeout: flags.number('timeout', 0),
    ttl: flags.number('ttl'),
    publish: flags.switch('publish') ?? true,
  });
}

function requireCheck(call: CommandCall, name: string): Promise<V2Object> {
  const namespace = callNamespace(call);
  return requireExisting(call.v2().find(checkPath(namespace, name)), missingCheck(namespace, name));
}

function checkPath(namespace: string, name: string): readonly string[] {
  return [...listPath(namespace, 'checks'), name];
}

function missingCheck(namespace: string, name: string): string {
  return `no check ${name} is defined in ${namespace}: see monctl check list --namespace ${namespace}; delete leftover results with monctl check delete ${name} --results`;
}

function checkColumns(isAllNamespaces: boolean): readonly Column<V2Object>[] {
  return [
    ...(isAllNamespaces ? [{ title: 'NAMESPACE', text: metadataNamespace }] : []),
    { title: 'CHECK', text: nameOf },
    {
      title: 'SCHEDULE',
      text: (check) => {
        const [cron, interval] = [readTextAttribute(check, 'cron'), readNumberAttribute(check, 'interval') ?? 0];
        return cron === '' ? (interval === 0 ? 'on request' : `every ${String(interval)} s`) : cron;
      },
    },
    { title: 'SUBSCRIPTIONS', text: (check) => readTextsAttribute(check, 'subscriptions').join(', ') },
    { title: 'HANDLERS', text: (check) => readTextsAttribute(check, 'handlers').join(', ') },
    { title: 'COMMAND', text: (check) => readTextAttribute(check, 'command') },
  ];
}
