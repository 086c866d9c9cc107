import { NO_SEARCH } from '../../state/search-field.ts';
import type { ActionPorts } from '../../keys/action-ports.ts';
import { movedPosition } from '../../keys/movement-target.ts';
import type { LiveData } from '../../model/live-data.ts';
import { targetOf, type EventTarget } from '../../model/target.ts';
import { keyOf, type KeyAction } from '../../state/keys.ts';
import { openLoadedLayer } from '../../state/layer-loads.ts';
import type { Screen } from '../../state/ports.ts';
import type { DetailLayer, DetailPanel } from '../../state/layers/detail.ts';
import { openLayer, putLayer } from '../../state/layer-stack.ts';
import { clamp } from '../../state/list-cursor.ts';
import { PANEL_BORDER } from '../../text/panel.ts';
import { filterProblem } from '../filter-problem.ts';
import { openInspect } from '../inspect/open.ts';
import { openFiltered } from '../open-filtered.ts';
import { moveText } from '../text-pane.ts';
import { openTimeline } from '../timeline/layer.ts';
import { detailHeight, focusedPanel, layOutDetail, panelOrder, relatedMax, type DetailLayout } from './layout.ts';
import { silencesOnEvent } from './lines.ts';
import { relatedRows, type RelatedRow } from './related.ts';

export function openDetail(store: Screen & Pick<LiveData, 'events'>, target: EventTarget, raw: boolean): void {
  const { peek } = store.state;
  // If the pane has already loaded the event, it is shown at once. The screen still requests the newest state.
  const loaded = peek?.target.key === target.key && peek.load.kind === 'loaded' ? peek.load : undefined;
  const layer: DetailLayer = {
    kind: 'detail',
    target,
    load: loaded === undefined ? { kind: 'loading' } : { ...loaded, reloading: true },
    row: store.events.get(target.key)?.row ?? loaded?.row,
    resolvedAtMs: undefined,
    top: 0,
    panel: 'output',
    tops: {},
    related: undefined,
    isOutputExpanded: false,
    raw,
    wrap: true,
    search: NO_SEARCH,
  };
  openLayer(store, layer);
  store.request({ kind: 'load-event', target, into: 'detail', isDetailed: true });
}

export function reloadDetail(store: Screen, layer: DetailLayer): void {
  if (layer.load.kind === 'loaded') putLayer(store, { ...layer, load: { ...layer.load, reloading: true } });
  store.request({ kind: 'load-event', target: layer.target, into: 'detail', isDetailed: true });
}

/** Moves the focus to the next (1) or the previous (-1) panel. The first panel follows the last. */
export function stepPanel(store: Screen & LiveData, layer: DetailLayer, step: 1 | -1): void {
  const layout = layOutDetail(store, layer);
  const order = panelOrder(layout);
  const focused = focusedPanel(layout, layer);
  if (focused === undefined) return;
  const panel = order.at((order.indexOf(focused) + step) % order.length) ?? focused;
  const next = { ...layer, panel, search: layout.kind === 'panels' ? NO_SEARCH : layer.search };
  putLayer(store, layout.kind === 'panels' ? next : { ...next, top: topThatShows(store, layout, next, panel) });
}

/** Returns the first visible line of a text, so that as much as possible of a part is visible. */
function topThatShows(
  store: Screen,
  { lines, parts }: DetailLayout & { readonly kind: 'text' },
  { top }: DetailLayer,
  panel: DetailPanel,
): number {
  const height = detailHeight(store, 'text');
  const start = startOf(parts, panel);
  const length = parts.find(({ id }) => id === panel)?.lines.length ?? 0;
  if (start >= top && start + length <= top + height) return top;
  return clamp(start, 0, lines.length - height);
}

/** Returns the index of the first line of a part among the lines of all parts. */
function startOf(parts: (DetailLayout & { readonly kind: 'text' })['parts'], panel: DetailPanel): number {
  const index = parts.findIndex(({ id }) => id === panel);
  return parts.slice(0, Math.max(0, index)).reduce((sum, { lines }) => sum + lines.length, 0);
}

/** Moves the cursor in the related events, or scrolls the focused panel. */
export function moveDetail(store: ActionPorts, layer: DetailLayer, action: KeyAction): void {
  const layout = layOutDetail(store, layer);
  const rows = focusedPanel(layout, layer) === 'related' ? shownRelated(store, layer) : [];
  if (rows.length === 0) return void moveText(store, action);
  const from = Math.max(
    0,
    rows.findIndex(({ key }) => key === layer.related),
  );
  const panel = layout.kind === 'panels' ? layout.columns.flat().find(({ id }) => id === 'related') : undefined;
  const height = panel === undefined ? detailHeight(store, 'text') : panel.rows - PANEL_BORDER.rows;
  const to = movedPosition(action, from, { rows: height, last: rows.length - 1 });
  if (to === undefined) return;
  const related = rows[to]?.key;
  if (layout.kind === 'panels') {
    const top = topNearLine(to, panel?.top ?? 0, height);
    return putLayer(store, { ...layer, related, tops: { ...layer.tops, related: top } });
  }
  putLayer(store, { ...layer, related, top: topNearLine(startOf(layout.parts, 'related') + to, layer.top, height) });
}

/** Returns the first visible line that is nearest to `top` and shows the line `at`. */
function topNearLine(at: number, top: number, height: number): number {
  return clamp(top, at - height + 1, at);
}

function shownRelated(store: Screen & LiveData, { target, row }: DetailLayer): readonly RelatedRow[] {
  return row === undefined ? [] : relatedRows(store, { target, row }, relatedMax(store));
}

/** Opens what the focused panel shows: the related event under the cursor, or the page about its subject. */
export function openFromDetail(store: ActionPorts, layer: DetailLayer): void {
  const { target, load } = layer;
  if (load.kind !== 'loaded') return reloadDetail(store, layer);
  const layout = layOutDetail(store, layer);
  switch (focusedPanel(layout, layer)) {
    case 'related':
      return openRelated(store, layer);
    case 'notifications':
      return openLoadedLayer(store, 'handling', target.key);
    case 'silences': {
      const [first] = silencesOnEvent(store, target.key, load.event);
      if (first === undefined) return store.say('the event is not silenced');
      return openLoadedLayer(store, 'silence-entry', typeof first === 'string' ? first : first.id);
    }
    case 'values':
      return openLoadedLayer(store, 'series', target.key);
    case 'history':
    case 'actions':
      return openTimeline(store, target.key);
    case 'client':
      return openInspect(store, { kind: 'client', name: target.client });
    case 'output':
    case undefined:
      if (layout.kind === 'text')
        return putLayer(store, { ...layer, isOutputExpanded: !layer.isOutputExpanded, top: 0 });
      return store.say(`the whole output is shown: ${keyOf('panel-next')} goes to the next panel`);
  }
}

function openRelated(store: ActionPorts, layer: DetailLayer): void {
  const rows = shownRelated(store, layer);
  const row = rows.find(({ key }) => key === layer.related) ?? rows[0];
  if (row === undefined) return store.say('no related event');
  if (row.kind === 'event') return openDetail(store, targetOf(row.record.key), false);
  const { filter } = row.relation;
  const problem = filterProblem('events', filter);
  if (problem !== undefined) return store.say(`cannot filter the events by ${filter}: ${problem.message}`, 'problem');
  store.update({ layers: [] });
  openFiltered(store, 'events', filter);
}
