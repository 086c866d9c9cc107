import type { KeyAction } from '../../actions/keys.ts';
import { inspectBody, orderOf } from './body.ts';
import type { InspectLayer } from '../../state/layers/inspect.ts';
import { inspectPlace } from './place.ts';
import { moveCursor } from '../../state/list-cursor.ts';
import { openMenu } from '../../form/menu.ts';
import { NO_SEARCH } from '../../state/search-field.ts';
import type { SortState } from '../../model/list-order.ts';
import type { Screen, Says, Shown } from '../../state/ports.ts';
import type { Known } from '../../model/known.ts';
import { putLayer } from '../../state/layer-stack.ts';

/** The keys that rows on the screen of one thing have like every list. `false`: the action is none of them. */
export function pressInspectList(store: Screen & Says & Known, layer: InspectLayer, action: KeyAction): boolean {
  const { table, rows, height } = inspectBody(store, layer);
  if (table === undefined) return false;
  const change = (by: Partial<InspectLayer>): true => putInspect(store, { ...layer, ...by });
  switch (action) {
    case 'mark': {
      const { key, index } = layer.cursor;
      if (key === undefined) return true;
      const marks = new Set(layer.marks);
      if (!marks.delete(key)) marks.add(key);
      return change({ marks, cursor: moveCursor(layer.cursor, index + 1, orderOf(rows), height) });
    }
    case 'mark-all':
      return change({ marks: new Set(rows.map(({ key }) => key)) });
    case 'clear-marks':
      return change({ marks: new Set() });
    case 'search':
      return change({ search: { ...layer.search, isOpen: true } });
    case 'sort':
      openSort(store, layer);
      return true;
    case 'sort-reverse':
      return layer.sort === undefined || change({ sort: { ...layer.sort, reversed: !layer.sort.reversed } });
    case 'sort-left':
    case 'sort-right':
      return change({ sort: sortBeside(layer, sortable(store, layer), action === 'sort-left' ? -1 : 1) });
    case 'scroll-left':
      return change({ sideways: Math.max(0, layer.sideways - 1) });
    case 'scroll-right':
      if (inspectPlace(store, layer, table, rows).hasMore) return change({ sideways: layer.sideways + 1 });
      store.say('there is nothing more at the right');
      return true;
    case 'wide':
      return change({ wide: !layer.wide });
    case 'close':
      if (layer.marks.size > 0) return change({ marks: new Set() });
      return layer.search.line.text !== '' && change({ search: NO_SEARCH });
    default:
      return false;
  }
}

export function putInspect(store: Screen, layer: InspectLayer): true {
  putLayer(store, layer);
  return true;
}

interface SortChoice {
  readonly id: string;
  readonly title: string;
}

function sortable(store: Shown & Known, layer: InspectLayer): readonly SortChoice[] {
  return (inspectBody(store, layer).table?.columns ?? []).filter(({ compare }) => compare !== undefined);
}

function openSort(store: Screen & Known, layer: InspectLayer): void {
  const sortBy = (sort: SortState | undefined): void => {
    // The menu is closed again, and the layer is what it was.
    const top = store.state.layers.at(-1);
    if (top?.kind === 'inspect') putInspect(store, { ...top, sort });
  };
  const choices = sortable(store, layer);
  openMenu(
    store,
    {
      title: 'Sort by',
      items: () => [
        { id: '', label: 'the worst first', choose: () => sortBy(undefined) },
        ...choices.map(({ id, title }) => ({
          id,
          label: title,
          choose: () => sortBy({ column: id, reversed: false }),
        })),
      ],
    },
    layer.sort?.column ?? '',
  );
}

/** By the column beside the one that sorts, and past the last one by the first. */
function sortBeside({ sort }: InspectLayer, choices: readonly SortChoice[], step: 1 | -1): SortState | undefined {
  const at = choices.findIndex(({ id }) => id === sort?.column);
  const from = at === -1 && step === -1 ? 0 : at;
  const next = choices.at((from + step) % Math.max(1, choices.length));
  return next && { column: next.id, reversed: false };
}
