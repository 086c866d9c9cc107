import { NO_SEARCH } from '../../state/search-field.ts';
import type { ActionTrigger } from '../../keys/action.ts';
import { openLoadedLayer } from '../../state/layer-loads.ts';
import { openInspect } from './open.ts';
import { openDetail } from '../detail/actions.ts';
import { isGroup } from './rows.ts';
import { inspectRowUnderCursor, inspectTargets } from './targets.ts';
import type { LiveData } from '../../model/live-data.ts';
import type { Screen } from '../../state/ports.ts';
import { moveCursor, settleCursor } from '../../state/list-cursor.ts';
import { reportShiftedRows } from '../../list/list-moves.ts';
import { REACTION_MS } from '../../list/list-window.ts';
import { putLayer, closeLayer } from '../../state/layer-stack.ts';
import { movedPosition } from '../../keys/movement-target.ts';
import { inspectBody, cursorOrder } from './body.ts';
import { moveText, clearTextSearch } from '../text-pane.ts';
import type { KeyAction } from '../../state/keys.ts';
import type { InspectLayer } from '../../state/layers/inspect.ts';
import type { ActionPorts } from '../../keys/action-ports.ts';
import { ownCommandItems } from '../own-commands.ts';
import { openActionMenu } from '../../keys/action-menu.ts';

/** Moves the cursor, or scrolls if the screen shows text. */
export function moveInspect(store: ActionPorts, layer: InspectLayer, action: KeyAction): void {
  if (moveText(store, action)) return;
  const { rows, height } = inspectBody(store, layer);
  const order = cursorOrder(rows);
  // The rows may have changed, because a response may have arrived since the last frame.
  const from = settleCursor(layer.cursor, order, height);
  const to = movedPosition(action, from.index, { rows: height, last: rows.length - 1 });
  if (to !== undefined) putLayer(store, { ...layer, cursor: moveCursor(from, to, order, height) });
}

/** The actions that affect the row under the cursor. */
const ROW_KEYS: ReadonlySet<KeyAction> = new Set([
  'mark',
  'actions',
  'open',
  'silence',
  'acknowledge',
  'resolve',
  'run',
  'explain',
]);

/**
 * Prevents a key from acting on another row than the user meant.
 *
 * @returns `taken` if another row came under the cursor just before, so that the key must have no effect; otherwise
 *   `undefined`
 */
export function beforeInspectKey(store: ActionPorts, action: KeyAction | undefined): 'taken' | undefined {
  const layer = store.state.layers.at(-1);
  if (layer?.kind !== 'inspect' || action === undefined || !ROW_KEYS.has(action)) return undefined;
  const { cursor, marks, shiftedAtMs } = layer;
  const isShifted = store.options.now() - shiftedAtMs < REACTION_MS;
  if (!isShifted || cursor.key === undefined || marks.size > 0) return undefined;
  putLayer(store, { ...layer, shiftedAtMs: -Infinity });
  reportShiftedRows(store, cursor.key);
  return 'taken';
}

/**
 * Opens or closes the list of members below a group row. Any other row opens its event, or its last result if there is
 * no event.
 */
export function openRow(store: Screen & Pick<LiveData, 'events'>, layer: InspectLayer): void {
  const row = inspectRowUnderCursor(layer);
  if (row === undefined) return;
  if (isGroup(row)) {
    const opened = new Set(layer.opened);
    if (!opened.delete(row.key)) opened.add(row.key);
    return putLayer(store, { ...layer, opened });
  }
  const [target] = row.targets;
  if (target === undefined) return;
  if (store.events.get(target.key) !== undefined) return openDetail(store, target, false);
  openInspect(store, { kind: 'result', name: target.key });
}

/**
 * Opens the explanation of how handlers handle the event of the selected row. If several rows are selected, shows a
 * message that this is not possible.
 */
export function explainRow(store: Screen, layer: InspectLayer): void {
  const [target, ...others] = inspectTargets(layer);
  if (target === undefined || others.length > 0)
    return store.say('select exactly one client and check to explain the handlers');
  openLoadedLayer(store, 'handling', target.key);
}

/** The actions in the menu of the inspect screen, in order. */
const MENU_ACTIONS: readonly KeyAction[] = ['open', 'silence', 'acknowledge', 'resolve', 'run', 'explain', 'json'];

export function openInspectMenu(store: ActionPorts, layer: InspectLayer, { context, perform }: ActionTrigger): void {
  const count = layer.marks.size;
  const subjectText = count > 0 ? `${String(count)} marked` : (layer.cursor.key ?? layer.subject.name);
  openActionMenu(store, subjectText, MENU_ACTIONS, perform, () => ownCommandItems(store, context));
}

/** Clears the marks, or else the search. If there are neither, closes the screen. */
export function closeInspect(store: ActionPorts, layer: InspectLayer): void {
  if (clearTextSearch(store)) return;
  const { table } = inspectBody(store, layer);
  if (table !== undefined && layer.marks.size > 0) return putLayer(store, { ...layer, marks: new Set() });
  if (table !== undefined && layer.search.line.text !== '') return putLayer(store, { ...layer, search: NO_SEARCH });
  closeLayer(store);
}
