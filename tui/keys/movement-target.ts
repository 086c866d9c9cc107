import type { KeyAction } from '../state/keys.ts';
import { clamp } from '../state/list-cursor.ts';

/**
 * Returns the target of a movement in a list or text, limited to its range.
 *
 * @param position the row under the cursor, or the first visible row
 * @param bounds `rows`: visible rows; `last`: the last position
 * @returns `undefined` when the action is not a movement
 */
export function movedTo(
  action: KeyAction | undefined,
  position: number,
  bounds: { readonly rows: number; readonly last: number; readonly count?: number | undefined },
): number | undefined {
  const to = aimedAt(action, position, bounds);
  return to === undefined ? undefined : clamp(to, 0, bounds.last);
}

function aimedAt(
  action: KeyAction | undefined,
  position: number,
  { rows, last, count }: Parameters<typeof movedTo>[2],
): number | undefined {
  const times = count ?? 1;
  switch (action) {
    case 'down':
      return position + times;
    case 'up':
      return position - times;
    case 'half-down':
      return position + times * Math.max(1, rows >> 1);
    case 'half-up':
      return position - times * Math.max(1, rows >> 1);
    case 'page-down':
      return position + times * rows;
    case 'page-up':
      return position - times * rows;
    case 'top':
      return count === undefined ? 0 : count - 1;
    case 'bottom':
      return count === undefined ? last : count - 1;
    default:
      return undefined;
  }
}

/** Returns whether the action is a movement, which accepts a count. */
export function isMovement(action: KeyAction | undefined): boolean {
  return movedTo(action, 0, { rows: 1, last: 0 }) !== undefined;
}
