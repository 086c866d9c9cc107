import type { Layer } from '../state/layers/layer.ts';
import type { KeyContext } from '../state/key-context.ts';
import type { Action, Run } from './action.ts';
import { moveLog } from '../screens/log/actions.ts';
import { moveHelp } from '../screens/help/actions.ts';
import { scrollPlanPage } from '../screens/plans/page.ts';
import { scrollSilenceEntry } from '../screens/silences/entry-actions.ts';
import { moveInspect } from '../screens/inspect/actions.ts';
import { moveText } from '../screens/text-pane.ts';
import { moveStep } from '../screens/plans/actions.ts';
import { scrollVersions } from '../screens/plans/lines.ts';
import { moveRow } from '../screens/overview/actions.ts';
import { moveInList } from './list-keys.ts';
import { SCROLLED } from './places.ts';
import type { KeyAction } from '../state/keys.ts';
import type { ActionPorts } from './action-ports.ts';

type Move = (store: ActionPorts, action: KeyAction, count: number | undefined) => void;

/** Where a movement leads, by what there is to be moved in. */
const MOVES: Readonly<Record<(typeof SCROLLED)[number], Move>> = {
  events: moveInList,
  silences: moveInList,
  aggregates: moveInList,
  clients: moveInList,
  checks: moveInList,
  'dead-letters': moveInList,
  overview: moveRow,
  upgrade: scrollVersions,
  plan: (store, action) => {
    if (!moveStep(store, action)) scrollVersions(store, action);
  },
  detail: moveText,
  inspect: onTop('inspect', moveInspect),
  handling: moveText,
  'dead-letter': moveText,
  'silence-entry': onTop('silence-entry', scrollSilenceEntry),
  'plan-page': onTop('plan-page', scrollPlanPage),
  help: onTop('help', moveHelp),
  log: onTop('log', moveLog),
};

/** Each can have a count before it in a list. */
export const MOVEMENTS: readonly Action[] = [
  { name: 'down', keys: ['j', 'down'], in: [...SCROLLED], help: 'down; 5j goes five rows', run: moves('down') },
  { name: 'up', keys: ['k', 'up'], in: [...SCROLLED], help: 'up', run: moves('up') },
  { name: 'half-down', keys: ['ctrl-d'], in: [...SCROLLED], help: 'half a page down', run: moves('half-down') },
  { name: 'half-up', keys: ['ctrl-u'], in: [...SCROLLED], help: 'half a page up', run: moves('half-up') },
  { name: 'page-down', keys: ['pagedown', 'ctrl-f'], in: [...SCROLLED], help: 'a page down', run: moves('page-down') },
  { name: 'page-up', keys: ['pageup', 'ctrl-b'], in: [...SCROLLED], help: 'a page up', run: moves('page-up') },
  { name: 'top', keys: ['g', 'home'], in: [...SCROLLED], help: 'to the top; 12g goes to row 12', run: moves('top') },
  { name: 'bottom', keys: ['G', 'end'], in: [...SCROLLED], help: 'to the bottom', run: moves('bottom') },
];

function moves(action: KeyAction): Action['run'] {
  const runs = SCROLLED.map((context): [KeyContext, Run] => [
    context,
    (store, { count }) => MOVES[context](store, action, count),
  ]);
  return Object.fromEntries(runs);
}

function onTop<Kind extends Layer['kind']>(
  kind: Kind,
  move: (store: ActionPorts, layer: Extract<Layer, { kind: Kind }>, action: KeyAction) => void,
): Move {
  return (store, action) => {
    const layer = store.state.layers.at(-1);
    if (layer?.kind === kind) move(store, layer as Extract<Layer, { kind: Kind }>, action);
  };
}
