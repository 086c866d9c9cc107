import type { V2Object } from '../../../shared/client/v2-client.ts';
import { carryOut, CHANGE_OPTIONS, DELETE_OPTIONS, removeObject } from '../change.ts';
import type { Command } from '../command.ts';
import { readTextAttribute } from '../v2-object.ts';
import { LIST_OPTIONS, showList } from '../list.ts';

const nameOfNamespace = (namespace: V2Object): string => readTextAttribute(namespace, 'name');

const list: Command = {
  words: ['namespace', 'list'],
  summary: 'List namespaces, sorted by name',
  options: LIST_OPTIONS,
  examples: [['monctl namespace list', 'all namespaces']],
  async run(call) {
    await showList<V2Object>(call, {
      noun: 'namespaces',
      columns: () => [{ title: 'NAME', text: nameOfNamespace }],
      key: nameOfNamespace,
      fetch: () => call.v2().list(['namespaces']),
    });
  },
};

const create: Command = {
  words: ['namespace', 'create'],
  summary: 'Create a namespace',
  operands: ['NAME'],
  options: CHANGE_OPTIONS,
  examples: [['monctl namespace create staging', 'for separate clients and checks']],
  async run(call) {
    const [name = ''] = call.operands;
    await carryOut(call, {
      send: (_api, v2) => v2.create(['namespaces'], { name }),
      effects: () => [`the namespace ${name} would be created`],
      value: () => ({ name }),
      successText: () => 'Created',
    });
  },
};

const remove: Command = {
  words: ['namespace', 'delete'],
  summary: 'Delete an empty namespace',
  details: [
    'If the namespace is not empty, the backend refuses and lists the remaining objects. The namespace "default" cannot be deleted.',
  ],
  operands: ['NAME'],
  completes: ['namespace'],
  options: DELETE_OPTIONS,
  examples: [['monctl namespace delete staging --skip-confirm', 'in a script']],
  async run(call) {
    const [name = ''] = call.operands;
    await removeObject(call, {
      path: ['namespaces', name],
      notFoundMessage: `there is no namespace ${name}: see monctl namespace list`,
      question: `delete the namespace ${name}`,
      value: { name, deleted: true },
    });
  },
};

export const namespaceCommands: readonly Command[] = [list, create, remove];
