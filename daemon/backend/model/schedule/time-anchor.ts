import type { TimeAnchor } from '../../../clock/resume-time.ts';
import type { Key, Store, StoreOp } from '../../ports.ts';

/** The key of the time record, which contains the newest time and the clock corrections. */
export const TIME_KEY: Key = ['time'];

/** Returns the time record of the store; undefined if there is none yet. */
export async function readAnchor(store: Pick<Store, 'getMany'>): Promise<TimeAnchor | undefined> {
  const [value] = await store.getMany([TIME_KEY]);
  return value === undefined ? undefined : (JSON.parse(value) as TimeAnchor);
}

export function anchorOp(anchor: TimeAnchor): StoreOp {
  return { type: 'put', key: TIME_KEY, value: JSON.stringify(anchor) };
}
