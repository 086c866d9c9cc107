import { safeText } from '../../../shared/domain/terminal-text.ts';
import { MonError } from '../../../shared/errors.ts';
import { ALL_CONTEXTS } from '../../model/backend-names.ts';
import { findContext } from '../../config/choose-backend.ts';
import { readConsoleConfig, type LoadedConsoleConfig } from '../../config/config-file.ts';
import { carryOutLocally, DELETE_OPTIONS } from '../change.ts';
import type { CommandCall, Command } from '../command.ts';
import { ROW_OPTIONS, showRows } from '../rows.ts';

const list: Command = {
  words: ['context', 'list'],
  summary: 'List the contexts of the configuration file',
  details: ['A context is a backend with its credentials; "monctl configure" saves one. Secrets are never shown.'],
  options: ROW_OPTIONS,
  isLocal: true,
  examples: [['monctl context list', 'the current one has a star']],
  async run(call) {
    const { config } = await configOf(call);
    const contexts = Array.from(config.contexts, ([name, { backend, user, key, namespace }]) => ({
      name,
      current: name === config.context,
      backend,
      login: user ?? (key === undefined ? 'none' : 'API key'),
      namespace: namespace ?? 'default',
    }));
    await showRows(
      call,
      {
        columns: () => [
          { title: 'CURRENT', text: ({ current }) => (current ? '*' : '') },
          { title: 'NAME', text: ({ name }) => name },
          { title: 'BACKEND', text: ({ backend }) => backend },
          { title: 'LOGIN', text: ({ login }) => login },
          { title: 'NAMESPACE', text: ({ namespace }) => namespace },
        ],
        key: ({ name }) => name,
      },
      contexts,
    );
    if (contexts.length === 0) call.output.note('no contexts: save one with "monctl configure"');
  },
};

const use: Command = {
  words: ['context', 'use'],
  summary: 'Make a context the default of monctl and the console',
  operands: ['NAME'],
  completes: ['context'],
  options: {},
  isLocal: true,
  examples: [['monctl context use prod', 'the following commands use this backend']],
  async run(call) {
    const [name = ''] = call.operands;
    const { path, config } = await configOf(call);
    if (name !== ALL_CONTEXTS) findContext(config, name);
    const { selectContext } = await import('../../config/save-context.ts');
    await selectContext(path, name);
    await call.output.show({ context: name, file: path }, () => safeText(`the current context is ${name}`));
  },
};

const remove: Command = {
  words: ['context', 'delete'],
  summary: 'Delete a context from the configuration file, with its stored secret',
  operands: ['NAME'],
  completes: ['context'],
  options: DELETE_OPTIONS,
  isLocal: true,
  examples: [['monctl context delete staging', 'the backend itself is not changed']],
  async run(call) {
    const [name = ''] = call.operands;
    const { path, config } = await configOf(call);
    const { backend } = findContext(config, name);
    await carryOutLocally(call, {
      effects: () => [`the context ${name} for ${backend} would be deleted from ${path}`],
      question: `delete the context ${name}`,
      async act() {
        const { deleteContext } = await import('../../config/save-context.ts');
        await deleteContext(path, name);
      },
      value: { context: name, deleted: true },
      successText: `deleted the context ${name}`,
    });
  },
};

export const contextCommands: readonly Command[] = [list, use, remove];

async function configOf({ env }: CommandCall): Promise<LoadedConsoleConfig> {
  const loaded = await readConsoleConfig(undefined, env);
  if ('problem' in loaded) throw new MonError('invalid', loaded.problem);
  return loaded;
}
