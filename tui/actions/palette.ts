import { severityOf } from '../../shared/domain/severity.ts';
import type { Action, ActionTrigger } from '../keys/action.ts';
import type { ActionPorts } from '../keys/action-ports.ts';
import { SCROLLED_CONTEXTS } from '../keys/context-groups.ts';
import { keyContext } from '../keys/key-context.ts';
import { whyNoChange } from '../keys/may-change.ts';
import { openMenu } from '../form/menu.ts';
import { eventClass } from '../model/event-record.ts';
import { FuzzySearch, type Candidate } from '../model/fuzzy-search.ts';
import { targetOf } from '../model/target.ts';
import { openDetail } from '../screens/detail/actions.ts';
import { openInspect } from '../screens/inspect/open.ts';
import { isViewAvailable, openView } from '../screens/open-view.ts';
import { allBindings, isAction, isChange, keyLabel } from '../state/keys.ts';
import { openLoadedLayer } from '../state/layer-loads.ts';
import type { MenuItem } from '../state/layers/menu.ts';
import type { VisitedObject } from '../state/visited.ts';
import { VIEWS } from '../state/view-names.ts';
import { SEVERITY_STYLES } from '../text/theme.ts';
import { targetText } from '../../shared/domain/silence-name.ts';
import { openCommandLine } from './command-line.ts';
import { commandsOfContext, type ConsoleCommand } from './commands.ts';
import { savedViewItems } from './saved-views.ts';

/** Maximum number of things that the palette shows. */
const SHOWN_MAX = 50;

/** Numbers added to the cost of a match, so that of equal matches the more likely thing comes first. */
const BIAS_BY_KIND = {
  visited: -1.5,
  action: 0,
  view: 0,
  client: 0.3,
  check: 0.3,
  aggregate: 0.4,
  silence: 0.5,
  event: 0.5,
};

/** Number added to the cost of an event for each step of its severity, so that the worst events come first. */
const SEVERITY_BIAS = { critical: 0, warning: 0.02, unknown: 0.04, ok: 0.06, silenced: 0.08 } as const;

/** An object, view or action that the palette can open. */
interface PaletteEntry extends Candidate {
  /** The name, unique within its kind. */
  readonly name: string;
  /** The menu item, built in advance for kinds with few entries. */
  readonly item?: MenuItem;
}

/** The action that opens the palette. */
export const PALETTE_ACTIONS: readonly Action[] = [
  {
    name: 'palette',
    keys: ['ctrl-p'],
    in: [...SCROLLED_CONTEXTS],
    help: 'find an action, view, client, check, event, silence or aggregate by a part of its name',
    run: openPalette,
    runsFirst: true,
  },
];

/**
 * Opens the palette: a menu of everything that can be done or opened here. The entries change only when the user types,
 * so that Enter opens the entry that was drawn.
 */
function openPalette(store: ActionPorts, { perform }: ActionTrigger): void {
  loadNames(store);
  const few = [...visitedEntries(store), ...actionEntries(store, perform), ...viewEntries(store)];
  let search: { readonly loads: string; readonly find: FuzzySearch<PaletteEntry>['find'] } | undefined;
  let shown: { readonly text: string; readonly items: readonly MenuItem[] } | undefined;
  const items = (text: string): readonly MenuItem[] => {
    if (text === shown?.text) return shown.items;
    // The names of checks and aggregates can arrive while the palette is open.
    const loads = loadedNamesKey(store);
    if (search?.loads !== loads) {
      const objects = new FuzzySearch([...few, ...objectEntries(store)]);
      search = { loads, find: (words, limit) => objects.find(words, limit) };
    }
    const matches = text.trim() === '' ? few : search.find(text, SHOWN_MAX).map(({ item }) => item);
    shown = { text, items: removeDuplicates(matches).map((entry) => itemOf(store, entry)) };
    return shown.items;
  };
  openMenu(store, { title: 'Find an action, a view or an object', items, isFinder: true });
}

/** Requests the names of checks and aggregates, if their views have not loaded them yet. */
function loadNames(store: ActionPorts): void {
  if (store.whereColumn !== undefined) return;
  for (const view of ['checks', 'aggregates'] as const) {
    if (store.loads.loadOf(view).data === undefined) store.request({ kind: 'load-view', view });
  }
}

function loadedNamesKey({ loads }: ActionPorts): string {
  return `${String(loads.loadOf('checks').loadedAtMs)} ${String(loads.loadOf('aggregates').loadedAtMs)}`;
}

function visitedEntries({ state }: ActionPorts): readonly PaletteEntry[] {
  return state.visited.map(({ kind, name }) => ({ kind, name, text: name.toLowerCase(), bias: BIAS_BY_KIND.visited }));
}

/** Returns the actions and commands of the current key context, with their keys. */
function actionEntries(store: ActionPorts, perform: ActionTrigger['perform']): readonly PaletteEntry[] {
  const context = keyContext(store.state);
  const bound = new Map(
    allBindings().flatMap(([name, binding]) => (binding.in.includes(context) ? [[name as string, binding]] : [])),
  );
  const views: ReadonlySet<string> = new Set(VIEWS.map(({ name }) => name));
  return commandsOfContext(context, store.options)
    .filter(({ name }) => !views.has(name) && name !== 'palette')
    .map((command): PaletteEntry => {
      const { name } = command;
      const binding = bound.get(name);
      const help = binding?.help ?? command.help;
      const reason = isAction(name) && isChange(name) ? whyNoChange(store) : undefined;
      const item: MenuItem = {
        id: `action ${name}`,
        kind: 'action',
        label: name,
        note: help,
        key: binding && keyLabel(binding.keys[0]),
        disabled: reason === undefined ? undefined : `disabled${reason}`,
        choose: () => runCommand(store, command, binding !== undefined, perform),
      };
      return { kind: 'action', name, text: `${name} ${help}`.toLowerCase(), bias: BIAS_BY_KIND.action, item };
    });
}

/** Runs a command without an operand. A command that needs one is put into the command line. */
function runCommand(
  store: ActionPorts,
  { name, needsOperand, run }: ConsoleCommand,
  hasKey: boolean,
  perform: ActionTrigger['perform'],
): void {
  if (needsOperand === true && !hasKey) return openCommandLine(store, `${name} `);
  const problem = run(store, '', perform);
  if (problem !== undefined) store.say(problem, 'problem');
}

function viewEntries(store: ActionPorts): readonly PaletteEntry[] {
  const views = VIEWS.filter(({ name }) => isViewAvailable(name)).map(({ name, title, number }): PaletteEntry => {
    const choose = (): void => {
      store.update({ layers: [] });
      openView(store, name);
    };
    const key = number === undefined ? undefined : String(number);
    const item: MenuItem = { id: `view ${name}`, kind: 'view', label: title, key, choose };
    return { kind: 'view', name, text: title.toLowerCase(), bias: BIAS_BY_KIND.view, item };
  });
  const saved = savedViewItems(store).map((item): PaletteEntry => ({
    kind: 'saved view',
    name: item.id,
    text: item.label.toLowerCase(),
    bias: BIAS_BY_KIND.view,
    item: { ...item, kind: 'saved view' },
  }));
  return [...saved, ...views];
}

/** Returns the objects of the backend. A merged list of several backends or namespaces has only events. */
function* objectEntries(store: ActionPorts): Iterable<PaletteEntry> {
  const checks = new Set(store.loads.loadOf('checks').data?.map(({ name }) => name));
  for (const { key, row } of store.events.records()) {
    checks.add(row.check);
    const text = key.toLowerCase();
    yield { kind: 'event', name: key, text, bias: BIAS_BY_KIND.event + SEVERITY_BIAS[eventClass(row)] };
  }
  if (store.whereColumn !== undefined) return;
  for (const name of store.clients.keys()) yield entryOf('client', name);
  for (const name of checks) yield entryOf('check', name);
  for (const name of store.aggregates.names()) yield entryOf('aggregate', name);
  for (const [id, { creator, reason }] of store.silenced) yield entryOf('silence', id, `${id} ${creator} ${reason}`);
}

function entryOf(kind: VisitedObject['kind'], name: string, text = name): PaletteEntry {
  return { kind, name, text: text.toLowerCase(), bias: BIAS_BY_KIND[kind === 'result' ? 'event' : kind] };
}

/** Returns the entries without those that stand for the same thing as an earlier one, such as a visited client. */
function removeDuplicates(entries: readonly PaletteEntry[]): readonly PaletteEntry[] {
  return [
    ...new Map(entries.toReversed().map((entry) => [`${entry.kind} ${entry.name}`, entry])).values(),
  ].toReversed();
}

function itemOf(store: ActionPorts, { kind, name, item }: PaletteEntry): MenuItem {
  if (item !== undefined) return item;
  // Entries without an item are objects, so the cast is safe.
  const visited = { kind: kind as VisitedObject['kind'], name };
  return {
    id: `${kind} ${name}`,
    kind,
    label: name,
    note: noteOf(store, visited),
    choose: () => openObject(store, visited),
  };
}

function noteOf(store: ActionPorts, { kind, name }: VisitedObject): string | undefined {
  switch (kind) {
    case 'event': {
      const row = store.events.get(name)?.row;
      if (row === undefined) return 'resolved';
      return `${SEVERITY_STYLES[severityOf(row.status)].word} ${row.output.split('\n', 1)[0] ?? ''}`;
    }
    case 'silence': {
      const entry = store.silenced.get(name);
      return entry && `${targetText(entry)} by ${entry.creator}: ${entry.reason}`;
    }
    default:
      return undefined;
  }
}

function openObject(store: ActionPorts, { kind, name }: VisitedObject): void {
  switch (kind) {
    case 'event':
      return openDetail(store, targetOf(name), false);
    case 'silence':
      return openLoadedLayer(store, 'silence-entry', name);
    default:
      return openInspect(store, { kind, name });
  }
}
