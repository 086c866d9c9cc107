import { inEach, onLayer, type Action, type ActionHandler } from '../keys/action.ts';
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
import { LISTS, SCROLLED, TEXTS } from '../keys/context-groups.ts';
import type { KeyAction } from '../state/keys.ts';

/** A function that returns the handler of a movement action, such as `down`, for one key context. */
type Move = (action: KeyAction) => ActionHandler;

const inList: Move = (action) => (store) => moveInList(store, action);
const inText: Move = (action) => (store) => void moveText(store, action);

const MOVES: Readonly<Record<(typeof SCROLLED)[number], Move>> = {
  ...inEach(LISTS, inList),
  ...inEach(TEXTS, inText),
  overview: (action) => (store) => moveRow(store, action),
  upgrade: (action) => (store) => scrollVersions(store, action),
  plan: (action) => (store) => {
    if (!moveStep(store, action)) scrollVersions(store, action);
  },
  events: (action) => (store) => (isPaneFocused(store.state) ? movePane(store, action) : moveInList(store, action)),
  detail: (action) => onLayer('detail', (store, layer) => moveDetail(store, layer, action)),
  inspect: (action) => onLayer('inspect', (store, layer) => moveInspect(store, layer, action)),
  'timeline-search': (action) =>
    onLayer('timeline-search', (store, layer) =>
      moveSearchRow(store, layer, action, textPaneOf(store, layer)?.height ?? 1),
    ),
  'silence-entry': inText,
  'plan-page': inText,
  help: (action) => onLayer('help', (store, layer) => moveHelp(store, layer, action)),
  log: (action) => onLayer('log', (store, layer) => moveLog(store, layer, action)),
};

export const MOVEMENTS: readonly Action[] = [
  { name: 'down', keys: ['j', 'down'], in: [...SCROLLED], help: 'move down', run: moves('down') },
  { name: 'up', keys: ['k', 'up'], in: [...SCROLLED], help: 'move up', run: moves('up') },
  { name: 'half-down', keys: ['ctrl-d'], in: [...SCROLLED], help: 'move half a page down', run: moves('half-down') },
  { name: 'half-up', keys: ['ctrl-u'], in: [...SCROLLED], help: 'move half a page up', run: moves('half-up') },
  {
    name: 'page-down',
    keys: ['pagedown', 'ctrl-f'],
    in: [...SCROLLED],
    help: 'move one page down',
    run: moves('page-down'),
  },
  { name: 'page-up', keys: ['pageup', 'ctrl-b'], in: [...SCROLLED], help: 'move one page up', run: moves('page-up') },
  {
    name: 'top',
    keys: ['g', 'home'],
    in: [...SCROLLED],
    help: 'go to the top; :12 goes to row 12 of a list',
    run: moves('top'),
  },
  { name: 'bottom', keys: ['G', 'end'], in: [...SCROLLED], help: 'go to the bottom', run: moves('bottom') },
];

function moves(action: KeyAction): Action['run'] {
  return Object.fromEntries(SCROLLED.map((context) => [context, MOVES[context](action)]));
}
