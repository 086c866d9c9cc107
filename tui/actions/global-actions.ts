import { focusPane } from '../screens/events/pane-actions.ts';
import { isPaneFocused } from '../state/screen-layout.ts';
import type { KeyContext } from '../state/key-context.ts';
import { keyOf, type KeyAction } from '../state/keys.ts';
import { confirmUndo } from './undo.ts';
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
import { quitOrConfirm } from './quit.ts';
import { repeatForContexts, handleTopLayer, type Action, type ActionTrigger } from '../keys/action.ts';
import { toggleMute } from '../state/bell.ts';
import { openViewMenu } from './list-menus.ts';
import {
  ALL_VIEWS,
  PAUSABLE_VIEWS,
  SCROLLED_CONTEXTS,
  LIST_CONTEXTS,
  PAGE_CONTEXTS,
  TEXT_CONTEXTS,
} from '../keys/context-groups.ts';
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
const ALL_CONTEXTS = [...SCROLLED_CONTEXTS, 'confirm', 'form', 'prompt', 'search', 'menu', 'command'] as const;

/** The actions whose keys have the same meaning in all key contexts. */
export const GLOBAL_ACTIONS: readonly Action[] = [
  {
    name: 'views',
    keys: ['v'],
    in: [...ALL_VIEWS],
    help: 'open the menu of views and saved views',
    run: openViewMenu,
  },
  {
    name: 'pause',
    keys: ['p'],
    in: [...PAUSABLE_VIEWS, 'silence-entry', ...TEXT_CONTEXTS],
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
      'on-call',
      'cluster',
      ...PAGE_CONTEXTS,
    ],
    help: 'reconnect now',
    run: (store) => {
      store.request({ kind: 'reconnect' });
      store.say('reconnecting to the backend');
    },
  },
  {
    name: 'resync',
    keys: ['ctrl-r'],
    in: [...ALL_VIEWS, 'silence-entry', ...TEXT_CONTEXTS],
    help: 'reload everything from the backend',
    run: (store) => {
      store.request({ kind: 'resync' });
      store.say('reloading everything from the backend');
    },
  },
  {
    name: 'repaint',
    keys: ['ctrl-l'],
    in: ALL_CONTEXTS,
    help: 'redraw the screen',
    run: (store) => store.request({ kind: 'repaint' }),
    runsFirst: true,
  },
  {
    name: 'undo',
    keys: ['z'],
    in: [...ALL_VIEWS, 'silence-entry', 'detail', 'inspect'],
    help: 'undo your last change (up to 20, within 10 minutes)',
    changes: true,
    run: confirmUndo,
  },
  {
    name: 'lock',
    keys: ['!'],
    in: [...ALL_VIEWS, 'silence-entry', 'detail', 'inspect', 'dead-letter', 'member'],
    help: 'turn the read-only lock on or off',
    run: toggleLock,
  },
  {
    name: 'copy',
    keys: ['c'],
    in: [...LIST_CONTEXTS, 'detail', 'inspect', 'report'],
    help: 'copy the ID, names, JSON or a command; copy a report as Markdown',
    run: copyTopmost,
  },
  {
    name: 'mute',
    keys: ['m'],
    in: [...ALL_VIEWS, 'detail'],
    help: 'mute the bell for 15 minutes, or unmute it',
    run: toggleMute,
  },
  {
    name: 'back',
    keys: ['escape'],
    in: [...ALL_VIEWS],
    help: 'clear the marks, or else the filter, or else go back one view',
    run: { ...repeatForContexts(LIST_CONTEXTS, backFromList), overview: goBack, upgrade: goBack, plan: goBack },
  },
  { name: 'quit', keys: ['q'], in: [...ALL_VIEWS], help: 'quit', run: quitOrConfirm },
  {
    name: 'suspend',
    keys: ['ctrl-z'],
    in: ALL_CONTEXTS,
    help: 'suspend the console and return to the shell; fg continues it',
    run: (store) => store.request({ kind: 'suspend' }),
    runsFirst: true,
  },
  {
    name: 'interrupt',
    keys: ['ctrl-c'],
    in: ALL_CONTEXTS,
    help: 'close a dialog or an input line; elsewhere quit (press twice within a second)',
    run: interruptContext,
    runsFirst: true,
  },
  {
    name: 'close',
    keys: ['escape', 'q'],
    in: [...TEXT_CONTEXTS, 'silence-entry', 'plan-page', 'help', 'log'],
    help: 'go back to the list',
    hint: 'back',
    run: {
      ...repeatForContexts(TEXT_CONTEXTS, closeText),
      inspect: handleTopLayer('inspect', closeInspect),
      'silence-entry': closeLayer,
      'plan-page': closeLayer,
      help: handleTopLayer('help', closeHelp),
      log: handleTopLayer('log', closeLog),
    },
  },
  {
    name: 'search',
    keys: ['/'],
    in: ['log', 'help', ...TEXT_CONTEXTS],
    help: 'search the text for words; for a client or check, filter its result rows',
    hint: 'search',
    run: {
      ...repeatForContexts(TEXT_CONTEXTS, openTextSearch),
      inspect: handleTopLayer('inspect', openSearch),
      log: handleTopLayer('log', openLogSearch),
      help: handleTopLayer('help', openSearch),
    },
  },
  {
    name: 'match-next',
    keys: ['n'],
    in: ['log', 'help', ...TEXT_CONTEXTS],
    help: 'go to the next match',
    run: seekHandlers(1),
  },
  {
    name: 'match-previous',
    keys: ['N'],
    in: ['log', 'help', ...TEXT_CONTEXTS],
    help: 'go to the previous match',
    run: seekHandlers(-1),
  },
];

function seekHandlers(step: 1 | -1): Action['run'] {
  return {
    ...repeatForContexts(TEXT_CONTEXTS, (store: ActionPorts) => seekMatch(store, step)),
    log: handleTopLayer('log', (store, layer) => seekEntry(store, layer, step)),
    help: handleTopLayer('help', (store, layer) => seekBinding(store, layer, step)),
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
function copyTopmost(store: ActionPorts): void {
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

function interruptContext(store: ActionPorts, { context, perform }: ActionTrigger): void {
  if (context in CANCEL_ACTIONS) return perform(CANCEL_ACTIONS[context as keyof typeof CANCEL_ACTIONS]);
  const nowMs = store.options.now();
  if (nowMs - store.state.interruptedAtMs <= INTERRUPT_TWICE_MS) return store.request({ kind: 'quit' });
  store.update({ interruptedAtMs: nowMs });
  store.say('press Ctrl-C again to quit');
}
