import type { KeyAction } from '../state/keys.ts';
import { clamp } from '../state/list-cursor.ts';

/**
 * Returns the position after a movement in a list or text, limited to its range.
 *
 * @param position the row under the cursor in a list, or the first visible row of a text
 * @param bounds `rows`: the number of visible rows; `last`: the last valid position
 * @returns the new position; `undefined` if the action is not a movement
 */
export function movedPosition(
  action: KeyAction | undefined,
  position: number,
  bounds: { readonly rows: number; readonly last: number },
): number | undefined {
  const to = unlimitedMovedPosition(action, position, bounds);
  return to === undefined ? undefined : clamp(to, 0, bounds.last);
}

function unlimitedMovedPosition(
  action: KeyAction | undefined,
  position: number,
  { rows, last }: Parameters<typeof movedPosition>[2],
): number | undefined {
  switch (action) {
    case 'down':
      return position + 1;
    case 'up':
      return position - 1;
    case 'half-down':
      return position + Math.max(1, rows >> 1);
    case 'half-up':
      return position - Math.max(1, rows >> 1);
    case 'page-down':
      return position + rows;
    case 'page-up':
      return position - rows;
    case 'top':
      return 0;
    case 'bottom':
      return last;
    default:
      return undefined;
  }
}

/** Returns whether the action moves the cursor of a list or scrolls a text. */
export function isMovement(action: KeyAction | undefined): boolean {
  return movedPosition(action, 0, { rows: 1, last: 0 }) !== undefined;
}
