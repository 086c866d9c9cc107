import type { KeyAction } from '../../actions/keys.ts';
import { askDeleteClients } from '../../actions/clients.ts';
import { openDetail } from '../detail/actions.ts';
import { acknowledge, askResolve, openSilence } from '../../actions/events.ts';
import { pressFeedKey } from '../../actions/feed-keys.ts';
import { inspectBody, orderOf } from './body.ts';
import type { InspectLayer } from '../../state/layers/inspect.ts';
import { pressInspectList } from './list-actions.ts';
import { openInspect } from './open.ts';
import { inspectRows, isGroup, type InspectRow } from './rows.ts';
import { moveCursor } from '../../state/list-cursor.ts';
import { openActionMenu } from '../../list/list-menus.ts';
import { NO_SEARCH } from '../../state/search-field.ts';
import { askRun, runsOn } from '../../actions/run-now.ts';
import { movedTo } from '../../actions/scroll-keys.ts';
import { pressText } from '../text-pane.ts';
import { targetOf, type Target } from '../../model/target.ts';
import type { Screen, Says, Asks } from '../../state/ports.ts';
import type { ActionPorts } from '../../actions/action-ports.ts';
import type { Known } from '../../model/known.ts';
import { openLoadedLayer } from '../../state/layer-loads.ts';
import { closeLayer, putLayer } from '../../state/layer-stack.ts';

export function pressInspect(store: ActionPorts, action: KeyAction | undefined): void {
  const layer = store.state.layers.at(-1);
  if (layer?.kind !== 'inspect' || action === undefined) return;
  if (pressText(store, action) || move(store, layer, action) || pressInspectList(store, layer, action)) return;
  switch (action) {
    case 'close':
      return closeLayer(store);
    case 'json':
      // Words of one are no filter of the other.
      return putLayer(store, { ...layer, raw: !layer.raw, top: 0, search: NO_SEARCH });
    case 'actions':
      return openActions(store, layer);
    case 'open':
      return open(store, layer);
    case 'silence':
      return onEvents(store, layer, 'silence', openSilence);
    case 'acknowledge':
      return onEvents(store, layer, 'acknowledge', acknowledge);
    case 'resolve':
      return onEvents(store, layer, 'resolve', askResolve);
    case 'run':
      return run(store, layer);
    case 'why':
      return explain(store, layer);
    case 'delete-client':
      if (layer.subject.kind === 'client') return askDeleteClients(store, [layer.subject.name]);
      return store.say('D deletes a client: open one to delete it');
    default:
      return pressFeedKey(store, action);
  }
}

/** `false`: the action is no movement. */
function move(store: Screen & Known, layer: InspectLayer, action: KeyAction): boolean {
  const { rows, height } = inspectBody(store, layer);
  const to = movedTo(action, layer.cursor.index, { rows: height, last: rows.length - 1 });
  if (to !== undefined) putLayer(store, { ...layer, cursor: moveCursor(layer.cursor, to, orderOf(rows), height) });
  return to !== undefined;
}

/** The members of a row; its event, or where there is none its last result. */
function open(store: Screen & Asks & Pick<Known, 'events'>, layer: InspectLayer): void {
  const row = underCursor(layer);
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

function onEvents(
  store: ActionPorts,
  layer: InspectLayer,
  verb: string,
  act: (store: ActionPorts, targets: readonly Target[]) => void,
): void {
  const targets = targetsOf(layer).filter(({ key }) => store.events.get(key) !== undefined);
  if (targets.length === 0) return store.say(`there is no open event here to ${verb}`);
  act(store, targets);
}

/** A check everywhere on its own screen while no client is chosen; otherwise what is under the cursor. */
function run(store: ActionPorts, layer: InspectLayer): void {
  const targets = targetsOf(layer);
  if (targets.length > 0) return askRun(store, runsOn(targets));
  const { kind, name } = layer.subject;
  if (kind === 'check') return askRun(store, [{ check: name }]);
  store.say('there is no check under the cursor to run');
}

/** What becomes of the event under the cursor at its handlers; where there is none, why not. */
function explain(store: Screen & Says, layer: InspectLayer): void {
  const [target, ...others] = targetsOf(layer);
  if (target === undefined || others.length > 0) return store.say('choose one client and check to explain');
  openLoadedLayer(store, 'handling', target.key);
}

function targetsOf(layer: InspectLayer): readonly Target[] {
  if (layer.subject.kind === 'result') return [targetOf(layer.subject.name)];
  // The JSON is of the whole: no row of it is seen, marked or under a cursor.
  if (layer.raw) return [];
  if (layer.marks.size === 0) return underCursor(layer)?.targets ?? [];
  const marked = inspectRows(layer).filter(({ key }) => layer.marks.has(key));
  // A row and the members that are listed below it may both be marked.
  return [...new Map(marked.flatMap(({ targets }) => targets.map((target) => [target.key, target]))).values()];
}

/** What can be done here, in the order of the menu. */
const ACTIONS: readonly KeyAction[] = ['open', 'silence', 'acknowledge', 'resolve', 'run', 'why', 'json'];

function openActions(store: ActionPorts, layer: InspectLayer): void {
  const count = layer.marks.size;
  const about = count > 0 ? `${String(count)} marked` : (layer.cursor.key ?? layer.subject.name);
  openActionMenu(store, about, ACTIONS, (action) => pressInspect(store, action));
}

/** The row that was drawn under the cursor, as it is now. */
function underCursor(layer: InspectLayer): InspectRow | undefined {
  const { key } = layer.cursor;
  return key === undefined || layer.raw ? undefined : inspectRows(layer).find((row) => row.key === key);
}
