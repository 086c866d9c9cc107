import { inspectRows, type InspectRow } from './rows.ts';
import { targetOf, type EventTarget } from '../../model/target.ts';
import type { InspectLayer } from '../../state/layers/inspect.ts';

/**
 * Returns the pairs of client and check that an action affects: those of the marked rows, or of the row under the
 * cursor, or of the shown result.
 */
export function inspectTargets(layer: InspectLayer): readonly EventTarget[] {
  if (layer.subject.kind === 'result') return [targetOf(layer.subject.name)];
  // The screen shows the data as JSON, so no row is visible, marked or under a cursor.
  if (layer.raw) return [];
  if (layer.marks.size === 0) return inspectRowUnderCursor(layer)?.targets ?? [];
  const marked = inspectRows(layer).filter(({ key }) => layer.marks.has(key));
  // Each target is returned only once, even if a group row and the member rows below it are marked.
  return [...new Map(marked.flatMap(({ targets }) => targets.map((target) => [target.key, target]))).values()];
}

/** Returns the current state of the row under the cursor; `undefined` if the layer shows no rows or the row is gone. */
export function inspectRowUnderCursor(layer: InspectLayer): InspectRow | undefined {
  const { key } = layer.cursor;
  return key === undefined || layer.raw ? undefined : inspectRows(layer).find((row) => row.key === key);
}
