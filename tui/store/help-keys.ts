import type { KeyAction } from '../keys.ts';
import type { ConsoleStore } from './console-store.ts';
import { helpLines } from './help-lines.ts';
import { clamp } from './list-cursor.ts';
import { helpBodyRows } from './screen-layout.ts';
import { movedTo } from './scroll-keys.ts';

export function pressHelp(store: ConsoleStore, action: KeyAction | undefined): void {
  const layer = store.state.layers.at(-1);
  if (layer?.kind !== 'help') return;
  const below = store.state.layers.slice(0, -1);
  if (action === 'close' || action === 'help') return store.update({ layers: below });
  const rows = helpBodyRows(store.state.size.rows);
  const last = Math.max(0, helpLines().length - rows);
  const to = movedTo(action, layer.top, { rows, last });
  if (to !== undefined) store.update({ layers: [...below, { kind: 'help', top: clamp(to, 0, last) }] });
}
