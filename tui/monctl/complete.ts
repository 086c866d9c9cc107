import { openApiClient, type ApiClient } from '../../shared/client/api-client.ts';
import { tlsVariables, type CredentialsEnv } from '../../shared/client/backend-address.ts';
import { openV2Client, type V2Client } from '../../shared/client/v2-client.ts';
import { readConsoleConfig } from '../config/config-file.ts';
import { chosenBackend } from './choose-backend.ts';
import { canonicalWords } from './aliases.ts';
import type { Command } from './command.ts';
import { nameOf, readTextAttribute } from './v2-object.ts';
import { listPath, callNamespace } from './namespaces.ts';
import type { OutputStream } from './output.ts';
import { GLOBAL_OPTIONS } from './parse-arguments.ts';
import type { CommandOption, CompletionKind } from './flags.ts';

/** Name of the hidden command that the shell completion scripts call. */
export const COMPLETE_COMMAND = '__complete';

/** Timeout of a request to the backend; short, because a user waits for the completion. */
const TIMEOUT_MS = 1500;

/** Maximum number of names in one response of the backend; nobody reads a longer list of completions. */
const NAMES_MAX = 2000;
const CANDIDATES_MAX = 200;

/**
 * Matches names that are safe on a command line without quotes. Names come from clients and checks: a shell would
 * interpret a quote, blank or semicolon in a name when the line is entered, so such names are not offered.
 */
const SAFE_NAME = /^[\w.:@%+,/*][\w.:@%+,/*=-]*$/;

/**
 * Prints the completions of the last word of a command line, one per line. It never fails, because a shell cannot show
 * a message during completion.
 *
 * @param argv `--`, then the words after `monctl` up to the cursor; the last word is the one to complete and may be
 * empty
 */
export async function printCompletions(
  argv: readonly string[],
  commands: readonly Command[],
  { stdout, env }: { readonly stdout: OutputStream; readonly env: Readonly<Record<string, string | undefined>> },
): Promise<void> {
  const words = argv[0] === '--' ? argv.slice(1) : argv;
  const { before, current } = { before: words.slice(0, -1), current: words.at(-1) ?? '' };
  const line = readLine(before, commands);
  const openNames = async (): Promise<NameSources> => {
    const { namespace: ofContext, ...chosen } = await chosenBackend(line, env);
    const at = { backend: chosen.backend, env: { ...chosen.env, ...line.tls }, timeoutMs: TIMEOUT_MS };
    const namespace = line.namespace ?? ofContext;
    return { api: openApiClient({ ...at, namespace }), v2: openV2Client(at), namespace, env };
  };
  try {
    const candidates = await findCandidates(line, current, commands, openNames);
    const fitting = [...new Set(candidates)].filter((one) => one.startsWith(current)).slice(0, CANDIDATES_MAX);
    if (fitting.length > 0) stdout.write(`${fitting.join('\n')}\n`);
  } catch {
    // Nothing is offered if the backend cannot be reached or the configuration is invalid.
  }
}

/** The parsed words of a command line before the word to complete. */
interface ParsedLine {
  /** The words of the command and its operands, without options and their values. */
  readonly words: readonly string[];
  /**
   * The option that takes the word to complete as its value; `undefined` if the previous word is not an option that
   * needs a value.
   */
  readonly pending: CommandOption | undefined;
  readonly backend: string | undefined;
  readonly context: string | undefined;
  readonly namespace: string | undefined;
  readonly tls: CredentialsEnv;
  readonly command: Command | undefined;
}

function readLine(before: readonly string[], commands: readonly Command[]): ParsedLine {
  const words: string[] = [];
  const all = Object.assign({}, GLOBAL_OPTIONS, ...commands.map(({ options }) => options)) as Command['options'];
  let pending: CommandOption | undefined;
  let expected = '';
  const optionValues = new Map<string, string>();
  for (const word of before) {
    if (pending !== undefined) {
      optionValues.set(expected, word);
      pending = undefined;
    } else if (word.startsWith('-')) {
      const [name, value] = optionName(word, all);
      expected = name;
      if (value !== undefined) optionValues.set(name, value);
      const option = Object.hasOwn(all, name) ? all[name] : undefined;
      pending = option?.type === 'value' && value === undefined ? option : undefined;
    } else if (word !== '') {
      words.push(word);
    }
  }
  const named = canonicalWords(words, commands);
  const command = commandOf(named, commands);
  return {
    words: named,
    pending: pending === undefined ? undefined : ownOption(pending, command, all),
    backend: optionValues.get('backend'),
    context: optionValues.get('context'),
    namespace: optionValues.get('namespace'),
    tls: tlsVariables({
      trustedCaFile: optionValues.get('trusted-ca-file'),
      isUnverified: before.includes('--insecure-skip-tls-verify') || undefined,
    }),
    command,
  };
}

/** Returns the command that the words call: the one with the most words, as `silence list` and not `silence`. */
function commandOf(words: readonly string[], commands: readonly Command[]): Command | undefined {
  const called = commands.filter((one) => one.words.every((word, at) => words[at] === word));
  return called.toSorted((a, b) => b.words.length - a.words.length)[0];
}

/**
 * Returns the command's own definition of an option, which may differ from the definition of the same name in `all`.
 */
function ownOption(commonOption: CommandOption, command: Command | undefined, all: Command['options']): CommandOption {
  const [name = ''] = Object.entries(all).find(([, option]) => option === commonOption) ?? [];
  return command?.options[name] ?? commonOption;
}

function optionName(word: string, options: Command['options']): readonly [name: string, value: string | undefined] {
  const [spelled = '', ...tail] = word.split('=');
  const value = tail.length === 0 ? undefined : tail.join('=');
  if (spelled.startsWith('--')) return [spelled.slice(2), value];
  const short = spelled.slice(1);
  const [name = ''] = Object.entries(options).find(([, option]) => option.short === short) ?? [];
  return [name, value];
}

async function findCandidates(
  { words, pending, command }: ParsedLine,
  current: string,
  commands: readonly Command[],
  openNames: () => Promise<NameSources>,
): Promise<readonly string[]> {
  if (pending !== undefined) return completeNames(pending.completes, words, command, openNames);
  if (command === undefined) return nextWords(words, commands);
  const options: Command['options'] = { ...command.options, ...GLOBAL_OPTIONS };
  if (current.startsWith('-')) {
    const name = /^--([^=]+)=/.exec(current)?.[1];
    if (name === undefined) return Object.keys(options).map((option) => `--${option}`);
    const names = await completeNames(options[name]?.completes, words, command, openNames);
    return names.map((one) => `--${name}=${one}`);
  }
  const operand = words.length - command.words.length;
  const names = await completeNames(completionOfOperand(command, operand), words, command, openNames);
  // The words of longer commands, such as `list` after `silence`.
  return [...nextWords(words, commands), ...names];
}

const COMPLETIONS_BY_OPERAND: Readonly<Record<string, CompletionKind>> = {
  CLIENT: 'client',
  CHECK: 'check',
  AGGREGATE: 'aggregate',
  HANDLER: 'handler',
  SCHEDULE: 'schedule',
  ENTITY: 'entity',
  MEMBER: 'member',
  USER: 'user',
  FILE: 'file',
  PATH: 'stash',
  PIPELINE: 'pipeline',
};

function completionOfOperand({ operands = [], completes }: Command, at: number): CompletionKind | undefined {
  if (completes !== undefined) return completes[at];
  const name = operands[at]?.replaceAll(/[[\]]/g, '') ?? '';
  return name === 'CHECK' && at > 0 ? 'client-check' : COMPLETIONS_BY_OPERAND[name];
}

function nextWords(words: readonly string[], commands: readonly Command[]): readonly string[] {
  return commands.flatMap((command) => {
    const next = command.words[words.length];
    return next !== undefined && words.every((word, at) => command.words[at] === word) ? [next] : [];
  });
}

async function completeNames(
  completes: CompletionKind | undefined,
  words: readonly string[],
  command: Command | undefined,
  openNames: () => Promise<NameSources>,
): Promise<readonly string[]> {
  if (completes === undefined || completes === 'file') return [];
  if (typeof completes !== 'string') return completes;
  const [noun = '', , client = ''] = words;
  const names = await liveNames(await openNames(), completes, command === undefined ? '' : noun, client);
  return names.filter((name) => SAFE_NAME.test(name));
}

/**
 * Sources of the names that completion offers: the APIs of the backend, and the configuration file that `env` locates.
 */
interface NameSources {
  readonly api: ApiClient;
  readonly v2: V2Client;
  readonly namespace: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
}

async function liveNames(
  { api, v2, namespace, env }: NameSources,
  kind: Exclude<CompletionKind, readonly string[]>,
  noun: string,
  client: string,
): Promise<readonly string[]> {
  const page = { limit: NAMES_MAX };
  switch (kind) {
    case 'client':
      return (await api.clients(page)).map(({ name }) => name);
    case 'check':
      return (await api.checks(page)).map(({ name }) => name);
    case 'reported-check': {
      const [defined, results] = await Promise.all([api.checks(page), api.results(page)]);
      return [...new Set([...defined.map(({ name }) => name), ...results.map(({ check }) => check.name)])].toSorted();
    }
    case 'client-check':
      return noun === 'event'
        ? (await api.events({ client, ...page })).map(({ check }) => check.name)
        : (await api.results({ client, ...page })).map(({ check }) => check.name);
    case 'subscription':
      return (await api.clients(page)).flatMap(({ subscriptions }) => subscriptions);
    case 'silenced':
      return (await api.silenced()).map(({ id }) => id);
    case 'aggregate':
      return (await api.aggregates(page)).map(({ name }) => name);
    case 'stash':
      return (await api.stashes(page)).map(({ path }) => path);
    case 'handler':
      return (await api.handlers()).map(({ name }) => name);
    case 'schedule':
      return (await api.schedules()).map(({ name }) => name);
    case 'dead-letter':
      return (await api.deadLetters()).map(({ id }) => String(id));
    case 'member':
      return ((await api.cluster())?.members ?? []).map(({ name }) => name);
    case 'namespace':
      return (await v2.list(['namespaces'])).map((one) => readTextAttribute(one, 'name'));
    case 'entity':
      return (await v2.list(listPath(callNamespace({ namespace }), 'entities'))).map(nameOf);
    case 'pipeline':
      return (await v2.list(listPath(callNamespace({ namespace }), 'pipelines'))).map(nameOf);
    case 'user':
      return (await v2.list(['users'])).map((one) => readTextAttribute(one, 'username'));
    case 'api-key':
      return (await v2.list(['apikeys'])).map(nameOf);
    case 'context':
      return contextNames(env);
    case 'file':
      return [];
  }
}

async function contextNames(env: NameSources['env']): Promise<readonly string[]> {
  const loaded = await readConsoleConfig(undefined, env);
  return 'problem' in loaded ? [] : [...loaded.config.contexts.keys()];
}
