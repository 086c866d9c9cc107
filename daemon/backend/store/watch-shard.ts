import type { ChangeRecord } from '../ports.ts';
import type { Shard } from './shard.ts';

type Listener = (record: ChangeRecord) => void;

/** A shard as a watch of it begins. */
interface Begun {
  readonly shard: Shard;
  /** The oldest sequence number that is retained. */
  readonly first: number;
  /** The retained records that the watch is for. */
  readonly past: AsyncIterable<ChangeRecord>;
}

/**
 * Tells a listener of the writes to a shard after `afterSeq`: first of the retained ones, then of each new one, without a gap
 * and nothing twice (see `Store.watch`).
 *
 * @param begin has the watcher told of writes from a moment between two of them, which `past` ends with
 */
export async function watchShard(
  afterSeq: number,
  listener: Listener,
  begin: (watcher: Listener) => Promise<Begun>,
): Promise<{ readonly first: number; close(): void }> {
  // What is committed while the past is read waits here; undefined from then on.
  let waiting: ChangeRecord[] | undefined = [];
  const watcher = (record: ChangeRecord): void => {
    if (record.seq <= afterSeq) return;
    if (waiting === undefined) tell(listener, record);
    else waiting.push(record);
  };
  const { shard, first, past } = await begin(watcher);
  try {
    for await (const record of past) listener(record);
  } catch (error) {
    shard.watchers.delete(watcher);
    throw error;
  }
  for (const record of waiting) tell(listener, record);
  waiting = undefined;
  return { first, close: () => void shard.watchers.delete(watcher) };
}

/** Tells a listener of a write. The write is done by then: a listener that throws is a defect of its own. */
function tell(listener: Listener, record: ChangeRecord): void {
  try {
    listener(record);
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}
