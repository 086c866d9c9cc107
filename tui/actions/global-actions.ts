import { focusPane } from '../screens/events/pane-actions.ts';
import { isPaneFocused } from '../state/screen-layout.ts';
import type { KeyContext } from '../state/key-context.ts';
import { keyOf, type KeyAction } from '../state/keys.ts';
import { askUndo } from './undo.ts';
import { openCopyMenu } from './copy-menu.ts';
import { applyFilter } from '../list/search-prompt.ts';
import { closeFoldAtCursor } from './folds.ts';
import { clearMarks } from './lists.ts';
import type { ListOfView } from '../list/list-of-view.ts';
import type { LiveData } from '../model/live-data.ts';
import type { Screen } from '../state/ports.ts';
import type { ActionPorts } from '../keys/action-ports.ts';
import { openTextSearch, seekMatch, clearTextSearch } from '../screens/text-pane.ts';
import { closeLog, openLogSearch, seekEntry } from '../screens/log/actions.ts';
import { closeHelp, seekBinding } from '../screens/help/actions.ts';
import { copyReport } from '../screens/report/screen.ts';
import { closeLayer, putLayer } from '../state/layer-stack.ts';
import type { HelpLayer } from '../state/layers/help.ts';
import type { InspectLayer } from '../state/layers/inspect.ts';
import { closeInspect } from '../screens/inspect/actions.ts';
import { askQuit } from './quit.ts';
import { inEach, onLayer, type Action, type ActionTrigger } from '../keys/action.ts';
import { toggleMute } from '../state/bell.ts';
import { openViewMenu } from './list-menus.ts';
import { VIEWS_ALL, VIEWS_PAUSED, SCROLLED, LISTS, PAGES, TEXTS } from '../keys/context-groups.ts';
import { goBack } from '../screens/open-view.ts';

/** Time in milliseconds within which a second Ctrl-C quits the console. */
const INTERRUPT_TWICE_MS = 1000;

/** The action that closes a dialog or an input line, by its key context. */
const CANCEL_ACTIONS = {
  confirm: 'confirm-no',
  form: 'form-cancel',
  prompt: 'prompt-cancel',
  search: 'search-clear',
  menu: 'menu-close',
  command: 'command-cancel',
} as const satisfies Partial<Record<KeyContext, KeyAction>>;

/** All key contexts. */
const EVERYWHERE = [...SCROLLED, 'confirm', 'form', 'prompt', 'search', 'menu', 'command'] as const;

/** The actions whose keys have the same meaning in all key contexts. */
export const GLOBAL_ACTIONS: readonly Action[] = [
  {
    name: 'views',
    keys: ['v'],
    in: [...VIEWS_ALL],
    help: 'open the menu of views and saved views',
    run: openViewMenu,
  },
  {
    name: 'pause',
    keys: ['p'],
    in: [...VIEWS_PAUSED, 'silence-entry', ...TEXTS],
    help: 'pause or resume live updates',
    hint: 'pause',
    run: (store) => (store.state.paused === undefined ? store.pause() : store.resume()),
  },
  {
    name: 'reconnect',
    keys: ['R'],
    in: [
      'overview',
      'silences',
      'aggregates',
      'clients',
      'upgrade',
      'plan',
      'dead-letters',
      'groups',
      'inhibitions',
      'cluster',
      ...PAGES,
    ],
    help: 'reconnect now',
    run: (store) => store.request({ kind: 'reconnect' }),
  },
  {
    name: 'resync',
    keys: ['ctrl-r'],
    in: [...VIEWS_ALL, 'silence-entry', ...TEXTS],
    help: 'reload everything from the backend',
    run: (store) => {
      store.request({ kind: 'resync' });
      store.say('reloading everything from the backend');
    },
  },
  {
    name: 'repaint',
    keys: ['ctrl-l'],
    in: EVERYWHERE,
    help: 'redraw the screen',
    run: (store) => store.request({ kind: 'repaint' }),
    runsFirst: true,
  },
  {
    name: 'undo',
    keys: ['z'],
    in: [...VIEWS_ALL, 'silence-entry', 'detail', 'inspect'],
    help: 'undo your last change (up to 20, within 10 minutes)',
    changes: true,
    run: askUndo,
  },
  {
    name: 'lock',
    keys: ['!'],
    in: [...VIEWS_ALL, 'silence-entry', 'detail', 'inspect', 'dead-letter', 'member'],
    help: 'turn the read-only lock on or off',
    run: toggleLock,
  },
  {
    name: 'copy',
    keys: ['c'],
    in: [...LISTS, 'detail', 'inspect', 'report'],
    help: 'copy the ID, names, JSON or a command; copy a report as Markdown',
    run: copy,
  },
  {
    name: 'mute',
    keys: ['m'],
    in: [...VIEWS_ALL, 'detail'],
    help: 'mute the bell for 15 minutes, or unmute it',
    run: toggleMute,
  },
  {
    name: 'back',
    keys: ['escape'],
    in: [...VIEWS_ALL],
    help: 'clear the marks, or else the filter, or else go back one view',
    run: { ...inEach(LISTS, backFromList), overview: goBack, upgrade: goBack, plan: goBack },
  },
  { name: 'quit', keys: ['q'], in: [...VIEWS_ALL], help: 'quit', run: askQuit },
  {
    name: 'suspend',
    keys: ['ctrl-z'],
    in: EVERYWHERE,
    help: 'suspend the console and return to the shell; fg continues it',
    run: (store) => store.request({ kind: 'suspend' }),
    runsFirst: true,
  },
  {
    name: 'interrupt',
    keys: ['ctrl-c'],
    in: EVERYWHERE,
    help: 'close a dialog or an input line; elsewhere quit (press twice within a second)',
    run: interrupt,
    runsFirst: true,
  },
  {
    name: 'close',
    keys: ['escape', 'q'],
    in: [...TEXTS, 'silence-entry', 'plan-page', 'help', 'log'],
    help: 'go back to the list',
    hint: 'back',
    run: {
      ...inEach(TEXTS, closeText),
      inspect: onLayer('inspect', closeInspect),
      'silence-entry': closeLayer,
      'plan-page': closeLayer,
      help: onLayer('help', closeHelp),
      log: onLayer('log', closeLog),
    },
  },
  {
    name: 'search',
    keys: ['/'],
    in: ['log', 'help', ...TEXTS],
    help: 'search the text for words; for a client or check, filter its result rows',
    hint: 'search',
    run: {
      ...inEach(TEXTS, openTextSearch),
      inspect: onLayer('inspect', openSearch),
      log: onLayer('log', openLogSearch),
      help: onLayer('help', openSearch),
    },
  },
  { name: 'match-next', keys: ['n'], in: ['log', 'help', ...TEXTS], help: 'go to the next match', run: seekBy(1) },
  {
    name: 'match-previous',
    keys: ['N'],
    in: ['log', 'help', ...TEXTS],
    help: 'go to the previous match',
    run: seekBy(-1),
  },
];

function seekBy(step: 1 | -1): Action['run'] {
  return {
    ...inEach(TEXTS, (store: ActionPorts) => seekMatch(store, step)),
    log: onLayer('log', (store, layer) => seekEntry(store, layer, step)),
    help: onLayer('help', (store, layer) => seekBinding(store, layer, step)),
  };
}

/** Opens the search line of a screen. If the screen shows rows, the search filters the rows. */
function openSearch(store: ActionPorts, layer: HelpLayer | InspectLayer): void {
  putLayer(store, { ...layer, search: { ...layer.search, isOpen: true } });
}

/** Clears the search of the shown text. If there is no search, closes the screen. */
function closeText(store: ActionPorts): void {
  if (!clearTextSearch(store)) closeLayer(store);
}

function backFromList(store: Screen & LiveData & ListOfView): void {
  if (isPaneFocused(store.state)) return focusPane(store, false);
  if (store.list.marks.size > 0) return clearMarks(store);
  if (closeFoldAtCursor(store)) return;
  if (store.list.filter.text !== '') return applyFilter(store, '');
  if (store.state.message !== undefined) return store.update({ message: undefined });
  // The list of events is the first view, so going back does nothing there.
  if (store.state.view !== 'events') goBack(store);
}

/**
 * Opens the menu of texts to copy, or copies the shown report. In a merged list it shows a message instead, because the
 * copied commands contain one backend and one namespace.
 */
function copy(store: ActionPorts): void {
  const layer = store.state.layers.at(-1);
  if (layer?.kind === 'report') return copyReport(store, layer);
  const { whereColumn } = store;
  if (whereColumn === undefined) return openCopyMenu(store);
  store.say(
    `cannot copy across several ${whereColumn}s: select one with :${whereColumn === 'backend' ? 'ctx' : 'ns'} NAME`,
  );
}

function toggleLock(store: Screen): void {
  if (store.options.readOnly) return store.say('started with --read-only: the lock cannot be turned off', 'problem');
  const readOnly = !store.state.readOnly;
  store.update({ readOnly });
  store.say(readOnly ? `locked: keys that change something are disabled, ${keyOf('lock')} unlocks` : 'unlocked');
}

function interrupt(store: ActionPorts, { context, perform }: ActionTrigger): void {
  if (context in CANCEL_ACTIONS) return perform(CANCEL_ACTIONS[context as keyof typeof CANCEL_ACTIONS]);
  const nowMs = store.options.now();
  if (nowMs - store.state.interruptedAtMs <= INTERRUPT_TWICE_MS) return store.request({ kind: 'quit' });
  store.update({ interruptedAtMs: nowMs });
  store.say('press Ctrl-C again to quit');
}
