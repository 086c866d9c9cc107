import type { TimeAnchor } from '../../clock/resume-time.ts';
import type { Key, Store, StoreOp } from '../ports.ts';

/** The newest time that was seen, and the corrections of the clock. */
export const TIME: Key = ['time'];

/** The newest time that this store has seen; undefined: none yet. */
export async function readAnchor(store: Pick<Store, 'getMany'>): Promise<TimeAnchor | undefined> {
  const [value] = await store.getMany([TIME]);
  return value === undefined ? undefined : (JSON.parse(value) as TimeAnchor);
}

export function anchorOp(anchor: TimeAnchor): StoreOp {
  return { type: 'put', key: TIME, value: JSON.stringify(anchor) };
}
