import type { TimeAnchor } from '../../../clock/resume-time.ts';
import type { Key, Store, StoreOp } from '../../ports.ts';

/** The key of the time record, which contains the newest time and the clock corrections. */
export const TIME: Key = ['time'];

/** Returns the time record of the store; undefined if there is none yet. */
export async function readAnchor(store: Pick<Store, 'getMany'>): Promise<TimeAnchor | undefined> {
  const [value] = await store.getMany([TIME]);
  return value === undefined ? undefined : (JSON.parse(value) as TimeAnchor);
}

export function anchorOp(anchor: TimeAnchor): StoreOp {
  return { type: 'put', key: TIME, value: JSON.stringify(anchor) };
}
