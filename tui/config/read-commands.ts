import { z } from 'zod';
import { isCommandName } from '../actions/commands.ts';
import { findPlaceholders } from '../model/command-words.ts';
import { filterProblem } from '../screens/filter-problem.ts';
import { COMMAND_CONTEXTS, SUBJECT_VIEWS } from '../screens/own-commands.ts';
import { boundWith, keyLabel, type ConfiguredKeys } from '../state/keys.ts';
import { COMMAND_SUBJECTS, type CommandSubject, type OwnCommand } from '../state/own-command.ts';
import { chordProblem, type ConfigProblem } from './read-keys.ts';

/** Bounds of the commands in a configuration file. */
export const COMMANDS_MAX = 100;
const WORDS_MAX = 100;
const WORD_LENGTH_MAX = 4096;

const wordSchema = z
  .string()
  .max(WORD_LENGTH_MAX)
  .regex(/^[^\0]*$/, 'an argument cannot contain NUL');

export const commandSchema = z.strictObject({
  run: z
    .array(wordSchema, 'write the program and its arguments as a list: [ssh, "{{client.address}}"]')
    .min(1)
    .max(WORDS_MAX),
  key: z.string().optional(),
  description: z.string().min(1).max(200).optional(),
  for: z.array(z.enum(COMMAND_SUBJECTS)).min(1).optional(),
  when: z.string().max(1000).optional(),
  background: z.boolean().optional(),
  'read-only': z.boolean().optional(),
  wait: z.boolean().optional(),
});

type WrittenCommand = z.infer<typeof commandSchema>;

/** The first parts of the placeholders that each kind of object has. */
const PLACEHOLDER_ROOTS: Readonly<Record<CommandSubject, readonly string[]>> = {
  event: ['event', 'client', 'check'],
  client: ['client'],
  check: ['check'],
};

/** Programs that run the text after `-c` as a script. */
const SHELL_PROGRAMS: ReadonlySet<string> = new Set([
  'sh',
  'bash',
  'dash',
  'zsh',
  'ksh',
  'fish',
  'ash',
  'busybox',
  'eval',
]);

/**
 * Reads the commands of the configuration. A key that already has a meaning where the command runs is a problem.
 *
 * @param keys the keys of the actions in the configuration
 */
export function readCommands(
  written: Readonly<Record<string, WrittenCommand>>,
  keys: ConfiguredKeys,
): { readonly commands: readonly OwnCommand[]; readonly problems: readonly ConfigProblem[] } {
  const problems: ConfigProblem[] = [];
  const commands = Object.entries(written).map(([name, command]) => {
    const read = readCommand(name, command);
    problems.push(
      ...problemsOf(read, command, keys).map(({ path, message }) => ({ path: ['commands', name, ...path], message })),
    );
    return read;
  });
  const byKey = new Map<string, string>();
  for (const { name, key } of commands) {
    const other = key === undefined ? undefined : byKey.get(key);
    if (key === undefined) continue;
    if (other === undefined) byKey.set(key, name);
    else problems.push({ path: ['commands', name, 'key'], message: `${keyLabel(key)} is already the key of ${other}` });
  }
  return { commands, problems };
}

function readCommand(name: string, command: WrittenCommand): OwnCommand {
  const [program = '', ...args] = command.run;
  const roots = args.flatMap((arg) => (findPlaceholders(arg) ?? []).map(([root = '']) => root));
  return {
    name,
    key: command.key,
    description: command.description ?? `run ${program}`,
    subjects:
      command.for ?? COMMAND_SUBJECTS.filter((kind) => roots.every((root) => PLACEHOLDER_ROOTS[kind].includes(root))),
    when: (command.when ?? '').trim(),
    words: [program, ...args],
    isBackground: command.background === true,
    isReadOnly: command['read-only'] === true,
    isWaiting: command.wait === true,
  };
}

function problemsOf(command: OwnCommand, written: WrittenCommand, keys: ConfiguredKeys): readonly ConfigProblem[] {
  const { name, key, words, when, subjects } = command;
  return [
    ...(isCommandName(name) ? [{ path: [], message: `${name} is a command of the console: use another name` }] : []),
    ...keyProblems(command, key, keys),
    ...wordProblems(words, subjects),
    ...(written.wait === true && written.background === true
      ? [{ path: ['wait'], message: 'a command in the background has no terminal to wait in' }]
      : []),
    ...subjects.flatMap((kind) => {
      const problem = filterProblem(SUBJECT_VIEWS[kind], when);
      const where = `for ${kind === 'event' ? 'an' : 'a'} ${kind}: `;
      return problem === undefined
        ? []
        : [{ path: ['when'], message: `${where}${problem.message} (at character ${String(problem.position + 1)})` }];
    }),
  ];
}

function keyProblems(
  { subjects }: OwnCommand,
  key: string | undefined,
  keys: ConfiguredKeys,
): readonly ConfigProblem[] {
  if (key === undefined) return [];
  const problem = chordProblem(key, []);
  if (problem !== undefined) return [{ path: ['key'], message: problem }];
  const contexts = new Set(subjects.flatMap((kind) => COMMAND_CONTEXTS[kind]));
  const taken = boundWith(keys).find(
    ([, binding]) => binding.keys.includes(key) && binding.in.some((context) => contexts.has(context)),
  );
  if (taken === undefined) return [];
  const [action, { help }] = taken;
  return [{ path: ['key'], message: `${keyLabel(key)} is already the key of ${action} (${help}): use another key` }];
}

function wordProblems(words: OwnCommand['words'], subjects: readonly CommandSubject[]): readonly ConfigProblem[] {
  const [program, ...args] = words;
  if (program === '') return runProblem('the first item must be a program');
  if (/\{\{|\}\}/.test(program)) return runProblem('the program cannot contain {{…}}: only its arguments can');
  for (const arg of args) {
    const paths = findPlaceholders(arg);
    if (paths === undefined)
      return runProblem(`${arg} is not a placeholder: write {{client.address}} or {{check.name}}`);
    for (const [root = '', ...path] of paths) {
      const missing = subjects.find((kind) => !PLACEHOLDER_ROOTS[kind].includes(root));
      if (missing !== undefined || subjects.length === 0) {
        return runProblem(
          `{{${[root, ...path].join('.')}}} does not exist for ${missing === undefined ? 'any object' : `a ${missing}`}: use ${missing === undefined ? 'client, check and event' : PLACEHOLDER_ROOTS[missing].join(', ')}`,
        );
      }
    }
  }
  return scriptProblem(words) ?? [];
}

function runProblem(message: string): readonly ConfigProblem[] {
  return [{ path: ['run'], message }];
}

/** Returns a problem if a value of the backend would become a part of a script, where it could run anything. */
function scriptProblem([program, ...args]: OwnCommand['words']): readonly ConfigProblem[] | undefined {
  const name = program.slice(program.lastIndexOf('/') + 1);
  const flag = args.findIndex((arg) => /^-[a-z]*c$/.test(arg));
  const script = flag === -1 ? undefined : args[flag + 1];
  if (!SHELL_PROGRAMS.has(name) || script === undefined || (findPlaceholders(script) ?? []).length === 0)
    return undefined;
  const message = `do not put {{…}} into a script: pass it as an argument, as in [sh, -c, 'echo "$1"', sh, "{{client.name}}"]`;
  return runProblem(message);
}
