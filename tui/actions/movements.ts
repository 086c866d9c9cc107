import { repeatForContexts, handleTopLayer, type Action, type ActionHandler } from '../keys/action.ts';
import { moveLog } from '../screens/log/actions.ts';
import { moveHelp } from '../screens/help/actions.ts';
import { moveDetail } from '../screens/detail/actions.ts';
import { movePane } from '../screens/events/pane-actions.ts';
import { isPaneFocused } from '../state/screen-layout.ts';
import { moveInspect } from '../screens/inspect/actions.ts';
import { moveText, textPaneOf } from '../screens/text-pane.ts';
import { moveSearchRow } from '../screens/timeline/search-rows.ts';
import { moveStep } from '../screens/plans/actions.ts';
import { scrollVersions } from '../screens/plans/lines.ts';
import { moveRow } from '../screens/overview/actions.ts';
import { moveInList } from './list-keys.ts';
import { LIST_CONTEXTS, SCROLLED_CONTEXTS, TEXT_CONTEXTS } from '../keys/context-groups.ts';
import type { KeyAction } from '../state/keys.ts';

/** A function that returns the handler of a movement action, such as `down`, for one key context. */
type MoveHandler = (action: KeyAction) => ActionHandler;

const moveInListHandler: MoveHandler = (action) => (store) => moveInList(store, action);
const moveInTextHandler: MoveHandler = (action) => (store) => void moveText(store, action);

const MOVE_HANDLERS: Readonly<Record<(typeof SCROLLED_CONTEXTS)[number], MoveHandler>> = {
  ...repeatForContexts(LIST_CONTEXTS, moveInListHandler),
  ...repeatForContexts(TEXT_CONTEXTS, moveInTextHandler),
  overview: (action) => (store) => moveRow(store, action),
  upgrade: (action) => (store) => scrollVersions(store, action),
  plan: (action) => (store) => {
    if (!moveStep(store, action)) scrollVersions(store, action);
  },
  events: (action) => (store) => (isPaneFocused(store.state) ? movePane(store, action) : moveInList(store, action)),
  detail: (action) => handleTopLayer('detail', (store, layer) => moveDetail(store, layer, action)),
  inspect: (action) => handleTopLayer('inspect', (store, layer) => moveInspect(store, layer, action)),
  'timeline-search': (action) =>
    handleTopLayer('timeline-search', (store, layer) =>
      moveSearchRow(store, layer, action, textPaneOf(store, layer)?.height ?? 1),
    ),
  'silence-entry': moveInTextHandler,
  'plan-page': moveInTextHandler,
  help: (action) => handleTopLayer('help', (store, layer) => moveHelp(store, layer, action)),
  log: (action) => handleTopLayer('log', (store, layer) => moveLog(store, layer, action)),
};

export const MOVEMENT_ACTIONS: readonly Action[] = [
  { name: 'down', keys: ['j', 'down'], in: [...SCROLLED_CONTEXTS], help: 'move down', run: handlersOfMove('down') },
  { name: 'up', keys: ['k', 'up'], in: [...SCROLLED_CONTEXTS], help: 'move up', run: handlersOfMove('up') },
  {
    name: 'half-down',
    keys: ['ctrl-d'],
    in: [...SCROLLED_CONTEXTS],
    help: 'move half a page down',
    run: handlersOfMove('half-down'),
  },
  {
    name: 'half-up',
    keys: ['ctrl-u'],
    in: [...SCROLLED_CONTEXTS],
    help: 'move half a page up',
    run: handlersOfMove('half-up'),
  },
  {
    name: 'page-down',
    keys: ['pagedown', 'ctrl-f'],
    in: [...SCROLLED_CONTEXTS],
    help: 'move one page down',
    run: handlersOfMove('page-down'),
  },
  {
    name: 'page-up',
    keys: ['pageup', 'ctrl-b'],
    in: [...SCROLLED_CONTEXTS],
    help: 'move one page up',
    run: handlersOfMove('page-up'),
  },
  {
    name: 'top',
    keys: ['g', 'home'],
    in: [...SCROLLED_CONTEXTS],
    help: 'go to the top; :12 goes to row 12 of a list',
    run: handlersOfMove('top'),
  },
  {
    name: 'bottom',
    keys: ['G', 'end'],
    in: [...SCROLLED_CONTEXTS],
    help: 'go to the bottom',
    run: handlersOfMove('bottom'),
  },
];

function handlersOfMove(action: KeyAction): Action['run'] {
  return Object.fromEntries(SCROLLED_CONTEXTS.map((context) => [context, MOVE_HANDLERS[context](action)]));
}
