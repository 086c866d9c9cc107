import type { CompletionPorts } from '../keys/action.ts';
import { unknownNameText } from '../words/unknown-name.ts';
import { travelBack, travelToTypedTime } from './past.ts';
import { EVENT_ACTIONS } from './events.ts';
import { FOLD_ACTIONS } from './folds.ts';
import { TIMELINE_ACTIONS } from './timeline.ts';
import { LIST_ACTIONS } from './lists.ts';
import { goToRow } from './list-keys.ts';
import { allBindings, isAction, type Binding, type KeyAction } from '../state/keys.ts';
import { currentName, RENAMED_ACTIONS } from '../state/renamed-names.ts';
import { findNearest } from '../../shared/domain/nearest.ts';
import { EVERY_NAMESPACE } from '../../shared/schemas/namespace.ts';
import { PAST_TIME_HINT } from '../../shared/domain/time-text.ts';
import { PANE_PLACEMENTS } from '../state/pane.ts';
import { showPaneAt } from '../screens/events/pane-actions.ts';
import { isSkin, SKINS } from '../text/theme.ts';
import { contextNames } from '../model/contexts.ts';
import { filterCandidates } from '../screens/search-candidates.ts';
import { keepFilter } from '../list/search-prompt.ts';
import { keyContext } from '../keys/key-context.ts';
import { INPUT_CONTEXTS, LIST_CONTEXTS } from '../keys/context-groups.ts';
import { openMenu } from '../form/menu.ts';
import { applyView, presentView } from './saved-views.ts';
import { filterProblem } from '../screens/filter-problem.ts';
import { VIEWS, type ViewName } from '../state/view-names.ts';
import type { Screen } from '../state/ports.ts';
import type { ActionPorts } from '../keys/action-ports.ts';
import type { MenuItem } from '../state/layers/menu.ts';
import type { KeyContext } from '../state/key-context.ts';
import { openReport } from '../screens/report/screen.ts';
import { isViewAvailable, openView } from '../screens/open-view.ts';
import { ownCommandsOfContext, requestOwnCommand } from '../screens/own-commands.ts';
import type { ConsoleOptions } from '../state/console-options.ts';
import type { OwnCommand } from '../state/own-command.ts';
import { VIEW_NAME_HINT, VIEW_NAME_PATTERN } from '../state/saved-view.ts';

/** Performs an action in the current key context, as if its key was pressed. */
export type PerformAction = (action: KeyAction) => void;

/** A command that the user can type after `:`. */
export interface ConsoleCommand {
  readonly name: string;
  /** The names of the operands, as the usage text shows them. */
  readonly operands: string;
  readonly help: string;
  /** True if the command needs an operand. */
  readonly needsOperand?: true;
  /**
   * Runs the command.
   *
   * @returns a message about an invalid operand, with the allowed values; `undefined` on success
   */
  readonly run: (store: ActionPorts, operand: string, perform: PerformAction) => string | undefined;
  /**
   * Returns completions for the last word of the operand. The caller shows only those that start with the typed
   * letters.
   */
  readonly complete?: (store: CompletionPorts, operand: string) => readonly string[];
}

/**
 * The actions that cannot be typed as commands: `view` depends on the pressed key, and the others open the command line
 * or quit.
 */
const ACTIONS_WITHOUT_COMMAND: ReadonlySet<KeyAction> = new Set(['view', 'command', 'save-view', 'interrupt']);

/**
 * Returns all commands of a key context: first the commands that this file defines, then the actions that have a key
 * there, then the commands of the user.
 */
export function commandsOfContext(
  context: KeyContext,
  options: Pick<ConsoleOptions, 'ownCommands'> = {},
): readonly ConsoleCommand[] {
  const own = CONSOLE_COMMANDS.map((command) => ownOrAction(command, context));
  const names = new Set(own.map(({ name }) => name));
  const actions = actionsOfContext(context).filter(([action]) => !names.has(action));
  return [
    ...own,
    ...actions.map(([action, { help }]) => actionCommand(action, help)),
    ...ownCommandsOfContext(context, options).map(userCommand),
  ];
}

/** Returns whether a name is that of a command or an action of the console, in any key context. */
export function isCommandName(name: string): boolean {
  return isAction(name) || COMMAND_ALIASES.has(name) || CONSOLE_COMMANDS.some((command) => command.name === name);
}

function userCommand(command: OwnCommand): ConsoleCommand {
  return {
    name: command.name,
    operands: '',
    help: command.description,
    run: (store) => {
      requestOwnCommand(store, command);
      return undefined;
    },
  };
}

/**
 * Runs the text of a command line that is already closed.
 *
 * @returns a message about an invalid command, with the allowed values; `undefined` on success
 */
export function runCommandLine(store: ActionPorts, text: string, perform: PerformAction): string | undefined {
  const { name, operand } = splitCommand(text);
  if (name === '') return undefined;
  const context = keyContext(store.state);
  if (/^\d+$/.test(name)) {
    if (!LIST_CONTEXTS.some((list) => list === context)) return 'there is no list here: open one to go to a row';
    if (operand !== '') return `a row number takes no argument: remove ${JSON.stringify(operand)}`;
    goToRow(store, Number(name));
    return undefined;
  }
  const commands = commandsOfContext(context, store.options);
  const command = commands.find((candidate) => candidate.name === (COMMAND_ALIASES.get(name) ?? name));
  if (command === undefined) return renamedCommand(name) ?? unknownCommand(name, commands);
  if (command.needsOperand === true && operand === '') return `type :${name} ${command.operands}`;
  if (command.operands === '' && operand !== '') return `${name} takes no argument: remove ${JSON.stringify(operand)}`;
  return command.run(store, operand, perform);
}

export function splitCommand(text: string): { readonly name: string; readonly operand: string } {
  const [, name = '', operand = ''] = /^\s*(\S*)\s*(.*)$/su.exec(text) ?? [];
  return { name, operand: operand.trim() };
}

const COMMAND_ALIASES: ReadonlyMap<string, string> = new Map([
  ['q', 'quit'],
  ['q!', 'quit'],
  ['run-now', 'run'],
]);

/**
 * Returns the command, changed so that without an operand it performs the action of the same name. If the context has
 * no such action, returns the command unchanged.
 */
function ownOrAction(command: ConsoleCommand, context: KeyContext): ConsoleCommand {
  const action = actionsOfContext(context).find(([name]) => name === command.name)?.[0];
  if (action === undefined) return command;
  return {
    ...command,
    run: (store, operand, perform) => {
      if (operand !== '') return command.run(store, operand, perform);
      perform(action);
      return undefined;
    },
  };
}

function actionsOfContext(context: KeyContext): readonly (readonly [KeyAction, Binding])[] {
  return allBindings().filter(
    ([action, binding]) =>
      binding.in.includes(context) &&
      !ACTIONS_WITHOUT_COMMAND.has(action) &&
      !binding.in.every((one) => INPUT_CONTEXTS.has(one)),
  );
}

function actionCommand(action: KeyAction, help: string): ConsoleCommand {
  return {
    name: action,
    operands: '',
    help,
    run: (_store, _operand, perform) => {
      perform(action);
      return undefined;
    },
  };
}

/** Returns the error message for the old name of an action; `undefined` if the name is not an old name. */
function renamedCommand(name: string): string | undefined {
  const current = currentName(RENAMED_ACTIONS, name);
  return current === undefined ? undefined : `unknown command ${name}: use ${current}`;
}

function unknownCommand(name: string, commands: readonly ConsoleCommand[]): string {
  const suggestion = findNearest(
    name,
    commands.map((command) => command.name),
  );
  return `there is no command ${JSON.stringify(name)}${suggestion === undefined ? ': Tab lists them' : `: did you mean ${suggestion}?`}`;
}

function viewCommand(view: ViewName, title: string): ConsoleCommand {
  return {
    name: view,
    operands: view === 'overview' || view === 'upgrade' ? '' : '[FILTER]',
    help: `open the ${title} view; with FILTER, show only matching rows`,
    run: (store, operand) => {
      const problem = filterProblem(view, operand);
      if (problem !== undefined) return `${problem.message} (at character ${String(problem.position + 1)})`;
      store.update({ layers: [] });
      openView(store, view);
      if (operand !== '') keepFilter(store, operand);
      return undefined;
    },
    complete: (store, operand) => filterCandidates(store, view, operand),
  };
}

interface SettingDefinition {
  readonly values: readonly string[];
  /**
   * Changes a setting of the console.
   *
   * @param value one of `values`
   */
  readonly set: (store: ActionPorts, value: string) => void;
}

function switchSetting(set: (store: ActionPorts, isOn: boolean) => void): SettingDefinition {
  return { values: ['on', 'off'], set: (store, value) => set(store, value === 'on') };
}

/** The settings that `:set` changes. The change lasts until the console ends. */
const SETTINGS_BY_NAME: ReadonlyMap<string, SettingDefinition> = new Map([
  ['ascii', switchSetting((store, ascii) => store.update({ themeChanges: { ...store.state.themeChanges, ascii } }))],
  ['color', switchSetting((store, color) => store.update({ themeChanges: { ...store.state.themeChanges, color } }))],
  ['bell', switchSetting((store, bell) => store.update({ attention: { ...store.state.attention, bell } }))],
  ['notify', switchSetting((store, notify) => store.update({ attention: { ...store.state.attention, notify } }))],
  ['mouse', switchSetting((store, mouse) => store.update({ mouse }))],
  [
    'pane',
    {
      values: PANE_PLACEMENTS,
      set: (store, value) => {
        const placement = PANE_PLACEMENTS.find((name) => name === value);
        if (placement !== undefined) showPaneAt(store, placement);
      },
    },
  ],
  ['header', switchSetting((store, header) => store.update({ header }))],
  [
    'skin',
    {
      values: SKINS,
      set: (store, value) =>
        store.update({ themeChanges: { ...store.state.themeChanges, ...(isSkin(value) && { skin: value }) } }),
    },
  ],
]);

/** The word that the user types instead of a namespace to show all namespaces. */
const ALL_NAMESPACES_WORD = 'all';

const CONSOLE_COMMANDS: readonly ConsoleCommand[] = [
  ...VIEWS.filter(({ name }) => isViewAvailable(name)).map(({ name, title }) => viewCommand(name, title)),
  ...[...LIST_ACTIONS, ...FOLD_ACTIONS, ...EVENT_ACTIONS, ...TIMELINE_ACTIONS].flatMap(({ name, operand }) =>
    operand === undefined ? [] : [{ name, ...operand }],
  ),
  {
    name: 'report',
    operands: '[DURATION]',
    help: 'show the shift report: what broke, what is open, who did what (default: last 12h)',
    run: (store, operand) => openReport(store, operand),
    complete: () => ['1h', '8h', '12h', '24h', '7d'],
  },
  {
    name: 'view',
    operands: 'NAME, save NAME, delete NAME',
    help: 'open a saved view, save the current view, or delete a saved one',
    needsOperand: true,
    run: savedView,
    complete: ({ state }, operand) => {
      const [verb = ''] = operand.split(/\s+/);
      const names = [...state.savedViews.keys()];
      return /\s/.test(operand) || operand === 'save' || operand === 'delete'
        ? names.filter(() => verb === 'save' || verb === 'delete')
        : ['save', 'delete', ...names];
    },
  },
  {
    name: 'ctx',
    operands: '[NAME]',
    help: 'switch to another backend from the configuration file',
    run: (store, operand) => {
      const names = contextNames(store.options.contexts);
      if (names.length === 0) return 'there are no contexts: add them to the configuration file';
      if (operand === '')
        openMenu(store, { title: 'Contexts', items: () => contextItems(store) }, store.options.contexts?.current);
      else if (!names.includes(operand)) return unknownNameText('context', operand, names);
      else store.request({ kind: 'switch-context', name: operand });
      return undefined;
    },
    complete: ({ options }) => contextNames(options.contexts),
  },
  {
    name: 'ns',
    operands: 'NAME, all',
    help: 'switch to another namespace of this backend, or show all namespaces in one list',
    run: (store, operand) => {
      if (store.backends !== undefined)
        return 'cannot switch namespaces across several backends: select one with :ctx NAME';
      if (operand === '') return `type :ns NAME: ${[...store.namespaces, ALL_NAMESPACES_WORD].join(', ')}`;
      if (/\s/.test(operand)) return 'type one namespace, or "all"';
      store.request({ kind: 'switch-namespace', name: operand === ALL_NAMESPACES_WORD ? EVERY_NAMESPACE : operand });
      return undefined;
    },
    complete: ({ backends, namespaces }) => (backends === undefined ? [...namespaces, ALL_NAMESPACES_WORD] : []),
  },
  {
    name: 'at',
    operands: 'TIME',
    help: `show the lists as they were at a time in the past: ${PAST_TIME_HINT}`,
    needsOperand: true,
    run: travelToTypedTime,
  },
  { name: 'now', operands: '', help: 'return from the past to live data', run: travelBack },
  {
    name: 'set',
    operands: 'NAME VALUE',
    help: `change a display setting: ${[...SETTINGS_BY_NAME.keys()].join(', ')}`,
    needsOperand: true,
    run: (store, operand) => {
      const [name = '', value = '', ...more] = operand.split(/\s+/);
      const setting = SETTINGS_BY_NAME.get(name);
      if (setting === undefined) return unknownNameText('setting', name, [...SETTINGS_BY_NAME.keys()]);
      if (!setting.values.includes(value) || more.length > 0) {
        return `type :set ${name} and one of ${setting.values.join(', ')}`;
      }
      setting.set(store, value);
      return undefined;
    },
    complete: (_store, operand) => {
      const [name = '', ...value] = operand.split(/\s+/);
      return value.length === 0 ? [...SETTINGS_BY_NAME.keys()] : (SETTINGS_BY_NAME.get(name)?.values ?? []);
    },
  },
];

/** Returns the menu items for the contexts (configured backends) that the user can switch to. */
function contextItems(store: Screen): readonly MenuItem[] {
  const { contexts } = store.options;
  return contextNames(contexts).map((name) => ({
    id: name,
    label: name,
    disabled: name === contexts?.current ? 'shown now' : undefined,
    choose: () => store.request({ kind: 'switch-context', name }),
  }));
}

function savedView(store: ActionPorts, operand: string): string | undefined {
  const [verb = '', name = '', ...more] = operand.split(/\s+/);
  const savedNames = [...store.state.savedViews.keys()];
  const isVerb = verb === 'save' || verb === 'delete';
  if (isVerb && name === '') return `type :view ${verb} NAME`;
  if ((isVerb && more.length > 0) || (!isVerb && name !== '')) return VIEW_NAME_HINT;
  if (verb === 'save') {
    if (!VIEW_NAME_PATTERN.test(name) || name === 'save' || name === 'delete') return VIEW_NAME_HINT;
    store.request({ kind: 'save-view', name, view: presentView(store) });
    return undefined;
  }
  const viewName = isVerb ? name : verb;
  const saved = store.state.savedViews.get(viewName);
  if (saved === undefined) return unknownNameText('saved view', viewName, savedNames);
  if (isVerb) store.request({ kind: 'save-view', name, view: undefined });
  else applyView(store, saved);
  return undefined;
}
