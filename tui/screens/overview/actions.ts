import type { Action } from '../../keys/action.ts';
import type { KeyAction } from '../../state/keys.ts';
import { clamp } from '../../state/list-cursor.ts';
import { movedPosition } from '../../keys/movement-target.ts';
import { overviewBoxes, type OverviewBox } from './boxes.ts';
import { boxOrder } from './layout.ts';
import { FIRST_OVERVIEW_POSITION, type OverviewPosition } from '../../state/overview-position.ts';
import type { Screen, ConsoleHistory } from '../../state/ports.ts';
import type { FiguresSource } from '../../model/overview-figures.ts';
import type { LiveData } from '../../model/live-data.ts';
import type { ActionPorts } from '../../keys/action-ports.ts';

/** Number of rows that a page key moves by in a box. */
const PAGE_ROWS = 5;

/** The actions in the boxes of the overview. */
export const OVERVIEW_ACTIONS: readonly Action[] = [
  {
    name: 'box-next',
    keys: ['tab'],
    in: ['overview'],
    help: 'go to the next box',
    hint: 'next box',
    run: (store) => focusBox(store, 1),
  },
  {
    name: 'box-previous',
    keys: ['shift-tab'],
    in: ['overview'],
    help: 'go to the previous box',
    run: (store) => focusBox(store, -1),
  },
  {
    name: 'box-open',
    keys: ['enter'],
    in: ['overview'],
    help: 'open a filtered list for the row under the cursor',
    hint: 'open',
    run: openRow,
  },
];

/** Returns the index of the row under the cursor; 0 if the box has no rows. */
export function rowIndex({ rows }: OverviewBox, { key, index }: OverviewPosition): number {
  const matchIndex = key === undefined ? -1 : rows.findIndex((row) => row.key === key);
  return matchIndex === -1 ? clamp(index, 0, Math.max(0, rows.length - 1)) : matchIndex;
}

/** Moves the focus to the next or previous box that has content. The first box follows the last. */
function focusBox(store: ActionPorts, by: 1 | -1): void {
  const focused = store.state.overview.box;
  const order = boxOrder(store.state.size, overviewBoxes(store), focused);
  const at = order.indexOf(focused) + by;
  const box = order.at(at % order.length) ?? FIRST_OVERVIEW_POSITION.box;
  store.update({ overview: { box, key: undefined, index: 0 } });
}

export function moveRow(store: Screen & ConsoleHistory & FiguresSource & LiveData, action: KeyAction): void {
  const { overview } = store.state;
  const box = overviewBoxes(store)[overview.box];
  const last = Math.max(0, box.rows.length - 1);
  const index = movedPosition(action, rowIndex(box, overview), { rows: PAGE_ROWS, last });
  if (index !== undefined) store.update({ overview: { ...overview, key: box.rows[index]?.key, index } });
}

function openRow(store: ActionPorts): void {
  const { overview } = store.state;
  const box = overviewBoxes(store)[overview.box];
  const open = box.rows[rowIndex(box, overview)]?.open ?? box.open;
  if (open === undefined) return store.say('nothing to open here');
  open(store);
}
