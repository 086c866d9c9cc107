import { holdsWords, type SearchField } from '../../state/search-field.ts';
import { allBindings, keyLabel, type Binding, type KeyAction } from '../../state/keys.ts';
import { isMovement } from '../../keys/movement-target.ts';
import { VIEWS } from '../../state/view-names.ts';
import type { OwnCommand } from '../../state/own-command.ts';
import type { KeyContext } from '../../state/key-context.ts';

export type HelpLine =
  | { readonly kind: 'heading'; readonly text: string }
  | {
      readonly kind: 'binding';
      /** The name of the action or of the command of the user. */
      readonly action: string;
      /** The action or the command of the user that Enter runs. */
      readonly runs: KeyAction | OwnCommand;
      readonly keys: string;
      readonly text: string;
    }
  | { readonly kind: 'blank' };

/** The titles of the key contexts for the help. */
export const CONTEXT_TITLES: Readonly<Record<KeyContext, string>> = {
  overview: 'Overview',
  events: 'Events',
  silences: 'Silences',
  aggregates: 'Aggregates',
  clients: 'Clients',
  checks: 'Checks',
  upgrade: 'Upgrade',
  plan: 'Upgrade plan',
  'plan-page': 'Upgrade plan, full text',
  'dead-letters': 'Dead letters',
  groups: 'Groups',
  inhibitions: 'Inhibitions',
  'on-call': 'On call',
  cluster: 'Cluster',
  detail: 'Event detail',
  inspect: 'Client, check, aggregate and result',
  handling: 'Handlers of an event',
  'dead-letter': 'Dead letter',
  member: 'Cluster member',
  schedule: 'On-call schedule',
  'silence-entry': 'Silence',
  report: 'Report',
  timeline: 'Timeline of a check',
  'timeline-search': 'Timeline search',
  incident: 'Incident',
  series: 'Values of a check',
  log: 'Log',
  help: 'Help',
  prompt: 'Filter line',
  search: 'Search line',
  form: 'Dialogs with fields',
  confirm: 'Confirmations',
  menu: 'Menus',
  command: 'Command line',
};

const ALL_VIEW_NAMES = VIEWS.map(({ name }) => name);
const LIST_VIEWS = ALL_VIEW_NAMES.filter((name) => name !== 'overview' && name !== 'upgrade');

/**
 * The sections of the help in order, each with a predicate that accepts the key bindings of the section. A binding
 * appears in the first section that accepts it.
 */
const HELP_SECTIONS: readonly (readonly [
  title: (context: KeyContext) => string,
  holds: (action: KeyAction, binding: Binding) => boolean,
])[] = [
  [
    (context) => CONTEXT_TITLES[context],
    (action, binding) =>
      !isMovement(action) && !isInAllContexts(binding, LIST_VIEWS) && !isInAllContexts(binding, ALL_VIEW_NAMES),
  ],
  [
    () => 'Marks, order and filter',
    (action, binding) => !isMovement(action) && !isInAllContexts(binding, ALL_VIEW_NAMES),
  ],
  [() => 'Movement', (action) => isMovement(action)],
  [() => 'Global', () => true],
];

/**
 * Returns the help of a key context, built from the table of bindings. Keys of this context come first, keys of all
 * contexts last.
 */
export function helpLines(
  context: KeyContext,
  search?: SearchField,
  ownCommands: readonly OwnCommand[] = [],
): readonly HelpLine[] {
  const left = new Map(allBindings().filter(([action, binding]) => isBindingShown(action, binding, context, search)));
  const sections = HELP_SECTIONS.map(([title, holds]): readonly HelpLine[] => {
    const group = [...left].filter(([action, binding]) => holds(action, binding));
    for (const [action] of group) left.delete(action);
    return sectionOf(title(context), group.map(actionLine));
  });
  const own = ownCommands
    .map(commandLine)
    .filter((line) => matchesWords(`${line.keys} ${line.text} ${line.action}`, search));
  const [first = [], ...others] = sections;
  return [...first, ...sectionOf('Own commands', own), ...others.flat()].slice(0, -1);
}

type BindingLine = HelpLine & { readonly kind: 'binding' };

function actionLine([action, binding]: readonly [KeyAction, Binding]): BindingLine {
  return { kind: 'binding', action, runs: action, keys: keysText(binding), text: binding.help };
}

function commandLine(command: OwnCommand): BindingLine {
  const { name, key, description } = command;
  const keys = key === undefined ? `:${name}` : keyLabel(key);
  return { kind: 'binding', action: name, runs: command, keys, text: `${name}: ${description}` };
}

function isBindingShown(
  action: KeyAction,
  binding: Binding,
  context: KeyContext,
  search: SearchField | undefined,
): boolean {
  if (!binding.in.includes(context)) return false;
  return matchesWords(`${keysText(binding)} ${binding.help} ${action}`, search);
}

function matchesWords(text: string, search: SearchField | undefined): boolean {
  return search === undefined || holdsWords(text, search);
}

/** Returns the lines of a section with a blank line at its end; no lines if the section is empty. */
function sectionOf(title: string, lines: readonly HelpLine[]): readonly HelpLine[] {
  return lines.length === 0 ? [] : [{ kind: 'heading', text: title }, ...lines, { kind: 'blank' }];
}

function keysText({ keys }: Binding): string {
  return keys.map(keyLabel).join(' ').replace('1 2 3 4 5 6 7', '1-7');
}

function isInAllContexts(binding: Binding, contexts: readonly KeyContext[]): boolean {
  return contexts.every((context) => binding.in.includes(context));
}
