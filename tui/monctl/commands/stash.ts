import { valueOption } from '../flags.ts';
import type { StashView } from '../../../shared/schemas/stash.ts';
import { formatDuration } from '../../../shared/domain/duration.ts';
import { MonError } from '../../../shared/errors.ts';
import { carryOut, CHANGE_OPTIONS, DELETE_OPTIONS } from '../change.ts';
import type { CommandCall, Command } from '../command.ts';
import { requireExisting, requireRemoved } from '../require-existing.ts';
import { withoutUndefined } from '../../../shared/domain/without-undefined.ts';
import { isObject } from '../../../shared/client/compiled-check.ts';
import { FILE_OPTION, readFileOption } from '../input.ts';
import { LIST_OPTIONS, showList } from '../list.ts';
import { showYaml } from '../output.ts';
import type { Column } from '../table.ts';
import { EXPIRE_NEVER } from '../../../shared/schemas/lifetime.ts';

const list: Command = {
  words: ['stash', 'list'],
  summary: 'List stashes, sorted by path',
  options: {
    prefix: valueOption('PATH', 'only stashes whose path starts with this prefix', { completes: 'stash' }),
    ...LIST_OPTIONS,
  },
  examples: [['monctl stash list --prefix silence/', 'silences before 0.26']],
  async run(call) {
    const prefix = call.flags.value('prefix') ?? '';
    await showList<StashView>(call, {
      noun: 'stashes',
      columns: () => STASH_COLUMNS,
      key: ({ path }) => path,
      // The comparison for changes omits the remaining time, which changes constantly.
      comparedPart: ({ content }) => content,
      fetch: () => call.api().stashes(),
      select: (all) => all.filter(({ path }) => path.startsWith(prefix)),
    });
  },
};

const info: Command = {
  words: ['stash', 'info'],
  summary: 'Show the content of a stash',
  operands: ['PATH'],
  options: {},
  examples: [['monctl stash info deploy/web --output json', 'as JSON']],
  async run(call) {
    const [path = ''] = call.operands;
    await showYaml(call.output, await requireStash(call, path));
  },
};

const create: Command = {
  words: ['stash', 'create'],
  summary: 'Create or replace a stash',
  operands: ['PATH'],
  options: {
    content: valueOption('JSON', 'content of the stash'),
    file: FILE_OPTION,
    expire: valueOption('DURATION', 'lifetime of the stash; default: unlimited'),
    ...CHANGE_OPTIONS,
  },
  examples: [
    [`monctl stash create deploy/web --content '{"version": 12}' --expire 1d`, 'data for other scripts'],
    ['monctl stash create deploy/web --file -', 'from standard input'],
  ],
  async run(call) {
    const { flags } = call;
    const [path = ''] = call.operands;
    const stash = withoutUndefined({ path, content: await contentOf(call), expire: flags.lifetime('expire') });
    await carryOut(call, {
      send: (api) => api.saveStash(stash),
      effects: async () => [
        (await call.api().stash(path)) === undefined
          ? `the stash ${path} would be created`
          : `the stash ${path} would be replaced`,
      ],
      value: () => stash,
      successText: () => `saved the stash ${path}`,
    });
  },
};

const remove: Command = {
  words: ['stash', 'delete'],
  summary: 'Delete a stash',
  operands: ['PATH'],
  options: DELETE_OPTIONS,
  examples: [['monctl stash delete deploy/web', 'remove a stash']],
  async run(call) {
    const [path = ''] = call.operands;
    await carryOut(call, {
      send: (api) => requireRemoved(api.deleteStash(path), missingStash(path)),
      effects: async () => [`the stash ${path} would be deleted: ${JSON.stringify(await requireStash(call, path))}`],
      question: `delete the stash ${path}`,
      value: () => ({ path, deleted: true }),
      successText: () => `deleted the stash ${path}`,
    });
  },
};

export const stashCommands: readonly Command[] = [list, info, create, remove];

function requireStash({ api }: CommandCall, path: string): Promise<Readonly<Record<string, unknown>>> {
  return requireExisting(api().stash(path), missingStash(path));
}

function missingStash(path: string): string {
  return `there is no stash ${path}: see monctl stash list`;
}

async function contentOf(call: CommandCall): Promise<Readonly<Record<string, unknown>>> {
  const text = call.flags.value('content');
  const content = text === undefined ? await readFileOption(call) : parseContent(text);
  if (content === undefined) throw new MonError('invalid', 'set the content: --content JSON or --file FILE');
  if (!isObject(content)) throw new MonError('invalid', 'a stash must be an object: {"name": "value"}');
  return content;
}

function parseContent(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new MonError('invalid', '--content is not JSON: write \'{"name": "value"}\'', { cause: error });
  }
}

const STASH_COLUMNS: readonly Column<StashView>[] = [
  { title: 'PATH', text: ({ path }) => path },
  {
    title: 'EXPIRES',
    align: 'right',
    text: ({ expire }) => (expire === EXPIRE_NEVER ? 'never' : `in ${formatDuration(expire)}`),
  },
  { title: 'CONTENT', text: ({ content }) => JSON.stringify(content) },
];
