import { isSearchMatch, readSearch } from '../../shared/domain/search-language.ts';
import { safeLine } from '../../shared/domain/terminal-text.ts';
import { whyNoChange } from '../keys/may-change.ts';
import type { ListOfView } from '../list/list-of-view.ts';
import type { LiveData } from '../model/live-data.ts';
import type { ConsoleOptions } from '../state/console-options.ts';
import type { KeyContext } from '../state/key-context.ts';
import { keyLabel, keyOf } from '../state/keys.ts';
import type { Layer } from '../state/layers/layer.ts';
import type { MenuItem } from '../state/layers/menu.ts';
import { COMMAND_SUBJECTS, type CommandSubject, type CommandTarget, type OwnCommand } from '../state/own-command.ts';
import type { Screen, ScreenView } from '../state/ports.ts';
import type { ViewName } from '../state/view-names.ts';
import { inspectTargets } from './inspect/targets.ts';
import { tableOf } from './tables.ts';

/** The view whose filters decide whether a command runs on an object. */
export const SUBJECT_VIEWS: Readonly<Record<CommandSubject, ViewName>> = {
  event: 'events',
  client: 'clients',
  check: 'checks',
};

/** The key contexts in which a command runs, by the kind of its object. */
export const COMMAND_CONTEXTS: Readonly<Record<CommandSubject, readonly KeyContext[]>> = {
  event: ['events', 'detail', 'inspect'],
  client: ['clients', 'inspect'],
  check: ['checks', 'inspect'],
};

/** The parts of the store that commands of the user read. */
type CommandPorts = ScreenView & LiveData & ListOfView;

/** Returns the commands of the user that can run in a key context. */
export function ownCommandsOfContext(
  context: KeyContext,
  { ownCommands = [] }: Pick<ConsoleOptions, 'ownCommands'>,
): readonly OwnCommand[] {
  return ownCommands.filter(({ subjects }) => subjects.some((kind) => COMMAND_CONTEXTS[kind].includes(context)));
}

/** Returns the command of the user that has this key in a key context. */
export function ownCommandOfKey(
  context: KeyContext,
  chord: string,
  options: ScreenView['options'],
): OwnCommand | undefined {
  return ownCommandsOfContext(context, options).find(({ key }) => key === chord);
}

/** Requests a command of the user for the shown object or the one under the cursor, or says why it does not run. */
export function requestOwnCommand(store: Screen & CommandPorts, command: OwnCommand): void {
  const reason = command.isReadOnly ? undefined : whyNoChange(store);
  if (reason !== undefined) return store.say(`${command.name} is disabled${reason}`, 'problem');
  const target = targetOfCommand(store, command);
  if ('problem' in target) return store.say(`${command.name}: ${target.problem}`, 'problem');
  if (!isMatch(store, command, target)) {
    return store.say(`${command.name} does not run on ${safeLine(target.name)}: it needs ${command.when}`);
  }
  store.request({ kind: 'own-command', command, target });
}

/** Returns the menu items for the commands of the user in a key context. */
export function ownCommandItems(store: Screen & CommandPorts, context: KeyContext): readonly MenuItem[] {
  return ownCommandsOfContext(context, store.options).map((command) => {
    const reason = command.isReadOnly ? undefined : whyNoChange(store);
    return {
      id: `own ${command.name}`,
      label: `${command.name}: ${command.description}`,
      key: command.key && keyLabel(command.key),
      disabled: reason === undefined ? undefined : `disabled${reason}`,
      choose: () => requestOwnCommand(store, command),
    };
  });
}

/** Returns the object on which a command would run now, or the reason why there is none. */
function targetOfCommand(store: CommandPorts, { subjects }: OwnCommand): CommandTarget | { readonly problem: string } {
  const layer = store.state.layers.at(-1);
  const targets = layer === undefined ? viewTargets(store) : layerTargets(layer);
  if ('problem' in targets) return targets;
  const target = targets.find(({ kind, name }) => {
    return subjects.includes(kind) && (kind !== 'event' || store.events.get(name) !== undefined);
  });
  return target ?? { problem: `there is no ${subjects.join(' or ')} here` };
}

type CommandTargets = readonly CommandTarget[] | { readonly problem: string };

function viewTargets({ state, list }: CommandPorts): CommandTargets {
  if (list.marks.size > 0) return { problem: `it runs on one row: ${keyOf('clear-marks')} clears the marks` };
  const kind = COMMAND_SUBJECTS.find((subject) => SUBJECT_VIEWS[subject] === state.view);
  const { key } = list.cursor;
  return kind === undefined || key === undefined ? [] : [{ kind, name: key }];
}

function layerTargets(layer: Layer): CommandTargets {
  if (layer.kind === 'detail') return [{ kind: 'event', name: layer.target.key }];
  if (layer.kind !== 'inspect') return [];
  if (layer.marks.size > 0) return { problem: `it runs on one row: ${keyOf('clear-marks')} clears the marks` };
  const { kind, name } = layer.subject;
  const [row, ...others] = inspectTargets(layer);
  return [
    ...(kind === 'client' || kind === 'check' ? [{ kind, name }] : []),
    ...(row === undefined || others.length > 0 ? [] : [{ kind: 'event' as const, name: row.key }]),
  ];
}

/** Returns whether an object matches the condition of a command. */
function isMatch(store: CommandPorts, { when }: OwnCommand, { kind, name }: CommandTarget): boolean {
  if (when === '') return true;
  const table = tableOf(SUBJECT_VIEWS[kind]);
  const search = table && readSearch(table.search, when);
  const row = kind === 'event' ? store.events.get(name)?.searchRow : table?.source?.row(store, name);
  if (search?.kind !== 'search' || row === undefined) return false;
  return isSearchMatch(search, row, store.nowMs / 1000);
}
