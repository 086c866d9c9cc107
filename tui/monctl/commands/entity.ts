import type { V2Object } from '../../../shared/client/v2-client.ts';
import { formatDuration } from '../../../shared/domain/duration.ts';
import { DELETE_OPTIONS, removeObject } from '../change.ts';
import type { CommandCall, Command } from '../command.ts';
import { requireExisting } from '../require-existing.ts';
import {
  metadataNamespace,
  nameOf,
  readNumberAttribute,
  readTextAttribute,
  readTextsAttribute,
  omitAttribute,
} from '../v2-object.ts';
import { SELECTOR_OPTIONS, selectorsOf } from '../v2-list.ts';
import { LIST_OPTIONS, showList } from '../list.ts';
import { listPath, NAMESPACE_OPTION, callNamespace, NAMESPACES_OPTIONS, namespacesOf } from '../namespaces.ts';
import { showYaml } from '../output.ts';
import type { Column } from '../table.ts';

const list: Command = {
  words: ['entity', 'list'],
  summary: 'List the entities in any namespace, as in the v2 API',
  options: { ...NAMESPACES_OPTIONS, ...SELECTOR_OPTIONS, ...LIST_OPTIONS },
  examples: [
    ['monctl entity list --all-namespaces', 'all entities'],
    ["monctl entity list --label-selector 'region == eu'", 'by labels'],
  ],
  async run(call) {
    const namespace = namespacesOf(call);
    await showList<V2Object>(call, {
      noun: 'entities',
      columns: (nowMs) => entityColumns(namespace === undefined, nowMs),
      key: (entity) => `${metadataNamespace(entity)}/${nameOf(entity)}`,
      comparedPart: (entity) => omitAttribute(entity, 'last_seen'),
      fetch: () => call.v2().list(listPath(namespace, 'entities'), selectorsOf(call)),
    });
  },
};

const info: Command = {
  words: ['entity', 'info'],
  summary: 'Show one entity',
  operands: ['ENTITY'],
  options: NAMESPACE_OPTION,
  examples: [['monctl entity info web-001 --namespace staging', 'all attributes']],
  async run(call) {
    const [name = ''] = call.operands;
    await showYaml(call.output, await requireEntity(call, name));
  },
};

const remove: Command = {
  words: ['entity', 'delete'],
  summary: 'Delete an entity and its events',
  details: ['A running agent creates its entity again when it connects.'],
  operands: ['ENTITY'],
  options: { ...NAMESPACE_OPTION, ...DELETE_OPTIONS },
  examples: [['monctl entity delete web-001 --namespace staging', 'a decommissioned host']],
  async run(call) {
    const [name = ''] = call.operands;
    const namespace = callNamespace(call);
    await removeObject(call, {
      path: [...listPath(namespace, 'entities'), name],
      notFoundMessage: missingEntity(namespace, name),
      async effects() {
        await requireEntity(call, name);
        return [`the entity ${name} of the namespace ${namespace} would be deleted with its events`];
      },
      question: `delete the entity ${name}`,
      value: { namespace, name, deleted: true },
    });
  },
};

export const entityCommands: readonly Command[] = [list, info, remove];

function requireEntity(call: CommandCall, name: string): Promise<V2Object> {
  const namespace = callNamespace(call);
  return requireExisting(call.v2().find([...listPath(namespace, 'entities'), name]), missingEntity(namespace, name));
}

function missingEntity(namespace: string, name: string): string {
  return `there is no entity ${name} in ${namespace}: see monctl entity list --all-namespaces`;
}

function entityColumns(isAllNamespaces: boolean, nowMs: number): readonly Column<V2Object>[] {
  return [
    ...(isAllNamespaces ? [{ title: 'NAMESPACE', text: metadataNamespace }] : []),
    { title: 'ENTITY', text: nameOf },
    { title: 'CLASS', text: (entity) => readTextAttribute(entity, 'entity_class') },
    {
      title: 'LAST SEEN',
      align: 'right',
      text: (entity) => {
        const seen = readNumberAttribute(entity, 'last_seen');
        return seen === undefined || seen === 0 ? '' : formatDuration(nowMs / 1000 - seen, 1);
      },
    },
    { title: 'SUBSCRIPTIONS', text: (entity) => readTextsAttribute(entity, 'subscriptions').join(', ') },
  ];
}
