import { NO_SEARCH } from '../../state/search-field.ts';
import type { Screen } from '../../state/ports.ts';
import type { LogTab, LogLayer } from '../../state/layers/log.ts';
import { openLayer } from '../../state/layer-stack.ts';

/**
 * Opens the log.
 *
 * @param at id of the entry on which the cursor starts; default: the newest entry
 */
export function openLog(store: Screen, tab: LogTab, at?: number): void {
  const layer: LogLayer = { kind: 'log', tab, at, opened: undefined, search: NO_SEARCH };
  openLayer(store, layer);
}
