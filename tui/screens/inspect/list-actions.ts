import { openMenu } from '../../form/menu.ts';
import type { SortState } from '../../model/list-order.ts';
import { inspectPlace } from './place.ts';
import { moveCursor } from '../../state/list-cursor.ts';
import type { InspectTable } from './tables.ts';
import { putLayer } from '../../state/layer-stack.ts';
import { inspectBody, type InspectBody, orderOf } from './body.ts';
import { onLayer, type Run } from '../../keys/action.ts';
import type { InspectLayer } from '../../state/layers/inspect.ts';
import type { ActionPorts } from '../../keys/action-ports.ts';

/** Something done with the rows of the screen of one thing, where it has any. */
export function onRows(
  run: (store: ActionPorts, layer: InspectLayer, body: InspectRows) => Partial<InspectLayer> | undefined,
): Run {
  return onLayer('inspect', (store, layer) => {
    const body = inspectBody(store, layer);
    const { table } = body;
    if (table === undefined) return;
    const change = run(store, layer, { ...body, table });
    if (change !== undefined) putLayer(store, { ...layer, ...change });
  });
}

type InspectRows = InspectBody & { readonly table: InspectTable };

export function markRow(
  _store: ActionPorts,
  layer: InspectLayer,
  { rows, height }: InspectRows,
): Partial<InspectLayer> | undefined {
  const { key, index } = layer.cursor;
  if (key === undefined) return undefined;
  const marks = new Set(layer.marks);
  if (!marks.delete(key)) marks.add(key);
  return { marks, cursor: moveCursor(layer.cursor, index + 1, orderOf(rows), height) };
}

export function scrollRowsRight(
  store: ActionPorts,
  layer: InspectLayer,
  { table, rows }: InspectRows,
): Partial<InspectLayer> | undefined {
  if (inspectPlace(store, layer, table, rows).hasMore) return { sideways: layer.sideways + 1 };
  store.say('there is nothing more at the right');
  return undefined;
}

interface SortChoice {
  readonly id: string;
  readonly title: string;
}

function sortable({ columns }: InspectTable): readonly SortChoice[] {
  return columns.filter(({ compare }) => compare !== undefined);
}

export function openRowSort(store: ActionPorts, layer: InspectLayer, { table }: InspectRows): undefined {
  const sortBy = (sort: SortState | undefined): void => {
    // The menu is closed again, and the layer is what it was.
    const top = store.state.layers.at(-1);
    if (top?.kind === 'inspect') putLayer(store, { ...top, sort });
  };
  const choices = sortable(table);
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
export function sortRowsBeside({ sort }: InspectLayer, { table }: InspectRows, step: 1 | -1): SortState | undefined {
  const choices = sortable(table);
  const at = choices.findIndex(({ id }) => id === sort?.column);
  const from = at === -1 && step === -1 ? 0 : at;
  const next = choices.at((from + step) % Math.max(1, choices.length));
  return next && { column: next.id, reversed: false };
}
