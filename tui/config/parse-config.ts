import { TIME_ZONE_HINT, timeZoneOf } from '../../shared/schemas/time-zone.ts';
import { ALL_CONTEXTS } from '../model/backend-names.ts';
import { isMap, isNode, isScalar, LineCounter, parseDocument, visit, type Document } from 'yaml';
import { z } from 'zod';
import { parseBackendAddresses } from '../../shared/client/backend-address.ts';
import { MonError } from '../../shared/errors.ts';
import { aggregateNameSchema } from '../../shared/schemas/aggregate.ts';
import { nameSchema as namespaceNameSchema } from '../../shared/schemas/name.ts';
import { problemOf } from '../../shared/schemas/problems.ts';
import { isSettings } from '../../shared/domain/merge-settings.ts';
import { findNearest } from '../../shared/domain/nearest.ts';
import { renameSettings } from '../../shared/domain/renamed-settings.ts';
import { DEFAULT_AGGREGATE_THRESHOLDS } from '../model/aggregate-book.ts';
import { foldProblem } from '../model/fold-by.ts';
import { columnIds, columnProblem, sortIds } from '../screens/view-columns.ts';
import { filterProblem } from '../screens/filter-problem.ts';
import { VIEWS, type ViewName } from '../state/view-names.ts';
import { SKINS } from '../text/theme.ts';
import { CONSOLE_SETTING_NAMES } from './console-setting-names.ts';
import { EMPTY_CONFIG, type ConsoleConfig } from './console-config.ts';
import { withCurrentFilters } from './current-filters.ts';
import { COMMANDS_MAX, commandSchema, readCommands } from './read-commands.ts';
import { readKeys, type ConfigProblem } from './read-keys.ts';
import { type SavedView, VIEW_NAME_HINT, VIEW_NAME_PATTERN } from '../state/saved-view.ts';

/** Maximum length of the configuration file in characters, more than anyone writes by hand. */
export const CONFIG_LENGTH_MAX = 256 * 1024;

const VIEW_NAMES = VIEWS.map(({ name }) => name) as readonly ViewName[];

const chordsSchema = z.union(
  [z.string().transform((chord) => [chord]), z.array(z.string()).max(10)],
  'write a key as a text, or several as a list: ctrl-k, "/", [j, down]',
);
const columnsSchema = z.array(z.string()).min(1).max(50);
const viewNameSchema = z.enum(VIEW_NAMES as unknown as [ViewName, ...ViewName[]]);
const nameSchema = z.string().regex(VIEW_NAME_PATTERN, VIEW_NAME_HINT);

const secretSchema = z.union(
  [z.strictObject({ env: z.string().min(1).max(200) }), z.strictObject({ file: z.string().min(1).max(4096) })],
  'do not write the secret here: use { env: NAME } or { file: PATH }',
);

const contextSchema = z
  .strictObject({
    backend: z.string().superRefine((text, context) => {
      try {
        const addresses = parseBackendAddresses(text, {});
        if (addresses.some(({ headers }) => 'authorization' in headers))
          context.addIssue('do not write credentials into the URL: set user and password');
      } catch (error) {
        if (!(error instanceof MonError)) throw error;
        context.addIssue(error.message);
      }
    }),
    user: z
      .string()
      .min(1)
      .max(200)
      .regex(/^[^:]*$/, 'a user name cannot contain ":"')
      .optional(),
    password: secretSchema.optional(),
    key: secretSchema.optional(),
    namespace: namespaceNameSchema.optional(),
    'trusted-ca-file': z.string().min(1).max(4096).optional(),
    'insecure-skip-tls-verify': z.boolean().optional(),
  })
  .refine(({ user, password }) => (user === undefined) === (password === undefined), 'set user and password together')
  .refine(({ user, key }) => user === undefined || key === undefined, 'set user and password, or a key, not both');

const savedViewSchema = z.strictObject({
  view: viewNameSchema,
  filter: z.string().optional(),
  sort: z.string().optional(),
  fold: z.string().optional(),
  columns: columnsSchema.optional(),
});

const NEED_HINT = 'use a percentage from 0 to 100, or none';
const needSchema = z
  .union([z.number(), z.literal('none')], NEED_HINT)
  .refine((need) => need === 'none' || (need >= 0 && need <= 100), NEED_HINT);

const aggregatesSchema = z.strictObject({
  default: needSchema.optional(),
  named: z.record(aggregateNameSchema, needSchema).optional(),
});

const contextNameSchema = nameSchema.refine(
  (name) => name !== ALL_CONTEXTS,
  `${ALL_CONTEXTS} means all contexts: rename this one`,
);

const fileSchema = z.strictObject({
  keys: z.record(z.string(), chordsSchema).nullish(),
  views: z.record(nameSchema, savedViewSchema).nullish(),
  commands: z
    .record(nameSchema, commandSchema)
    .refine((commands) => Object.keys(commands).length <= COMMANDS_MAX, `at most ${String(COMMANDS_MAX)} commands`)
    .nullish(),
  columns: z.partialRecord(viewNameSchema, columnsSchema).nullish(),
  contexts: z.record(contextNameSchema, contextSchema).nullish(),
  context: z.string().nullish(),
  skin: z.enum(SKINS).nullish(),
  ascii: z.boolean().nullish(),
  mouse: z.boolean().nullish(),
  bell: z.boolean().nullish(),
  notify: z.boolean().nullish(),
  'time-zone': z
    .string()
    .refine((zone) => timeZoneOf(zone) !== undefined, `use ${TIME_ZONE_HINT}`)
    .nullish(),
  aggregates: aggregatesSchema.nullish(),
});

/** An invalid configuration file. The message has one line for each problem, with its position. */
export class ConfigFileError extends Error {
  override readonly name = 'ConfigFileError';
}

/**
 * Parses the text of a configuration file (YAML).
 *
 * @param name the name of the file, for messages
 * @throws ConfigFileError when the text is not a valid configuration
 */
export function parseConfig(text: string, name: string): ConsoleConfig {
  const lines = new LineCounter();
  const document = openDocument(text, lines);
  const at = (offset: number): string => {
    const { line, col } = lines.linePos(offset);
    return `${name}:${String(Math.max(1, line))}:${String(Math.max(1, col))}`;
  };
  const fail = (problems: readonly (readonly [offset: number, message: string])[]): never => {
    throw new ConfigFileError(problems.map(([offset, message]) => `${at(offset)}: ${message}`).join('\n'));
  };
  const syntax = syntaxProblems(document);
  if (syntax.length > 0) fail(syntax);
  const written: unknown = document.toJS() ?? {};
  const renamed = isSettings(written) ? renameSettings(written, CONSOLE_SETTING_NAMES) : undefined;
  const current = renamed && withCurrentFilters(renamed.settings);
  const read = readConfig(current?.settings ?? written);
  const problems = [...(renamed?.problems ?? []), ...read.problems];
  if (problems.length > 0) {
    fail(problems.map(({ path, message }) => [offsetOf(document, path), problemText(path, message)] as const));
  }
  const warnings = [...(renamed?.warnings ?? []), ...(current?.warnings ?? [])].map(({ path, message }) => ({
    section: path[0] ?? '',
    text: `${at(offsetOf(document, path))}: ${problemText(path, message)}`,
  }));
  return { ...read.config, warnings };
}

/** Parses YAML text into a document that preserves comments and positions. */
export function openDocument(text: string, lineCounter = new LineCounter()): Document.Parsed {
  return parseDocument(text, {
    version: '1.2',
    schema: 'core',
    resolveKnownTags: false,
    stringKeys: true,
    uniqueKeys: true,
    prettyErrors: false,
    lineCounter,
    logLevel: 'error',
  });
}

function syntaxProblems(document: Document.Parsed): readonly (readonly [number, string])[] {
  const problems = [...document.errors, ...document.warnings].map(({ pos, message }) => [pos[0], message] as const);
  visit(document, {
    // A small file with YAML aliases can expand to a huge value, so aliases are rejected.
    Alias: (_key, { range }) => {
      problems.push([range?.[0] ?? 0, 'aliases (*name) are not supported: write the value out']);
    },
  });
  return problems;
}

function readConfig(content: unknown): {
  readonly config: Omit<ConsoleConfig, 'warnings'>;
  readonly problems: readonly ConfigProblem[];
} {
  const parsed = fileSchema.safeParse(content);
  if (!parsed.success) return { config: EMPTY_CONFIG, problems: parsed.error.issues.flatMap(issueProblems) };
  const { keys, views, commands, columns, contexts, context, aggregates, ...look } = parsed.data;
  const own = readKeys(keys ?? {});
  const saved = Object.entries(views ?? {}).map(([name, view]) => ({ name, read: readView(view) }));
  const ownCommands = readCommands(commands ?? {}, own.keys);
  const problems = [
    ...own.problems,
    ...ownCommands.problems,
    ...saved.flatMap(({ name, read }) =>
      read.problems.map(({ path, message }) => ({ path: ['views', name, ...path], message })),
    ),
    ...Object.entries(columns ?? {}).flatMap(([view, ids]) =>
      columnProblems(view as ViewName, ids).map((message) => ({ path: ['columns', view], message })),
    ),
    ...contextProblems(context ?? undefined, Object.keys(contexts ?? {})),
  ];
  const config: Omit<ConsoleConfig, 'warnings'> = {
    ...EMPTY_CONFIG,
    keys: own.keys,
    commands: ownCommands.commands,
    views: new Map(saved.map(({ name, read }) => [name, read.view])),
    columns: columns ?? {},
    contexts: new Map(Object.entries(contexts ?? {})),
    context: context ?? undefined,
    ...definedOf(look),
    aggregateNeeds: {
      default: aggregates?.default ?? DEFAULT_AGGREGATE_THRESHOLDS.default,
      named: new Map(Object.entries(aggregates?.named ?? {})),
    },
  };
  return { config, problems };
}

/** Returns the settings that have a value: those that are neither `null` nor `undefined`. */
function definedOf<T extends object>(settings: T): { [Name in keyof T]?: NonNullable<T[Name]> } {
  const named = Object.entries(settings).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(named) as { [Name in keyof T]?: NonNullable<T[Name]> };
}

function readView({ view, filter = '', sort, fold, columns }: z.infer<typeof savedViewSchema>): {
  readonly view: SavedView;
  readonly problems: readonly ConfigProblem[];
} {
  const isReversed = sort?.startsWith('-') === true;
  const column = isReversed ? sort.slice(1) : sort;
  const wrong = filterProblem(view, filter);
  const validIds = sortIds(view, 'any');
  const problems: ConfigProblem[] = (columns === undefined ? [] : columnProblems(view, columns)).map((message) => ({
    path: ['columns'],
    message,
  }));
  if (wrong !== undefined) {
    problems.push({ path: ['filter'], message: `${wrong.message} (at character ${String(wrong.position + 1)})` });
  }
  if (column !== undefined && !validIds.includes(column) && !isAttribute(view, column)) {
    problems.push({
      path: ['sort'],
      message: `${view} has no sort column ${JSON.stringify(column)}: ${validNamesText(validIds)}`,
    });
  }
  const wrongFold = fold === undefined ? undefined : foldProblemOf(view, fold);
  if (wrongFold !== undefined) problems.push({ path: ['fold'], message: wrongFold });
  const order = column === undefined ? undefined : { column, reversed: isReversed };
  return { view: { view, filter: filter.trim(), sort: order, columns, ...(fold !== undefined && { fold }) }, problems };
}

function foldProblemOf(view: ViewName, fold: string): string | undefined {
  return view === 'events' ? foldProblem(fold) : `only a view of events can be folded, not ${view}`;
}

function columnProblems(view: ViewName, ids: readonly string[]): readonly string[] {
  const validIds = columnIds(view, 'any');
  return ids
    .filter((id) => !validIds.includes(id) && !isAttribute(view, id))
    .map((id) => `${view} has no column ${JSON.stringify(id)}: ${validNamesText(validIds)}`);
}

/** Returns whether a view can have a column with this id that shows an attribute, such as `client.rack`. */
function isAttribute(view: ViewName, id: string): boolean {
  return columnProblem(view, id, []) === undefined;
}

function contextProblems(context: string | undefined, contextNames: readonly string[]): readonly ConfigProblem[] {
  if (context === undefined || context === ALL_CONTEXTS || contextNames.includes(context)) return [];
  return [
    { path: ['context'], message: `there is no context ${JSON.stringify(context)}: ${validNamesText(contextNames)}` },
  ];
}

function validNamesText(names: readonly string[]): string {
  return names.length === 0 ? 'there are none' : `use one of ${names.join(', ')}`;
}

function issueProblems(issue: z.core.$ZodIssue): readonly ConfigProblem[] {
  const path = issue.path.map(String);
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ path: [...path, key], message: unknownName(key, path) }));
  }
  if (issue.code === 'invalid_key') return issue.issues.map((one) => ({ path, message: problemOf(one) }));
  // For a setting with several allowed types, the message of the schema describes a valid value. This helps the user
  // more than one error for each type.
  return [{ path, message: problemOf(issue) }];
}

function unknownName(name: string, path: readonly string[]): string {
  const validNames = settingNames(path);
  const suggestion = findNearest(name, validNames);
  return `unknown setting${suggestion === undefined ? `: ${validNamesText(validNames)}` : `: did you mean ${suggestion}?`}`;
}

function settingNames([section, ...subpath]: readonly string[]): readonly string[] {
  if (section === undefined) return Object.keys(fileSchema.shape);
  if (section === 'views' && subpath.length === 1) return Object.keys(savedViewSchema.shape);
  if (section === 'commands' && subpath.length === 1) return Object.keys(commandSchema.shape);
  if (section === 'aggregates' && subpath.length === 0) return Object.keys(aggregatesSchema.shape);
  if (section === 'contexts' && subpath.length === 1) return Object.keys(contextSchema.shape);
  return ['env', 'file'];
}

/**
 * Returns the offset of a setting in the file. If the setting is missing, returns the offset of its deepest existing
 * parent.
 */
function offsetOf(document: Document.Parsed, path: readonly string[]): number {
  for (let length = path.length; length > 0; length -= 1) {
    const node = length === path.length ? keyNode(document, path) : document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range) return node.range[0];
  }
  return document.contents?.range[0] ?? 0;
}

/** Returns the YAML node of a setting's name, not of its value, because the user looks for the name. */
function keyNode(document: Document.Parsed, path: readonly string[]): unknown {
  const map = path.length === 1 ? document.contents : document.getIn(path.slice(0, -1), true);
  if (!isMap(map)) return undefined;
  return map.items.find(({ key }) => isScalar(key) && key.value === path.at(-1))?.key;
}

function problemText(path: readonly string[], message: string): string {
  return path.length === 0 ? message : `${path.join('.')}: ${message}`;
}
