import type { ChangeRecord } from '../ports.ts';
import type { Shard } from './shard.ts';

type WriteListener = (record: ChangeRecord) => void;

/** The state of a shard at the moment when a watch begins. */
interface WatchStart {
  readonly shard: Shard;
  /** The oldest retained sequence number of the shard. */
  readonly first: number;
  /** The retained change records that the watch delivers before any new write. */
  readonly past: AsyncIterable<ChangeRecord>;
}

/**
 * Delivers the writes to a shard after `afterSeq` to a listener: first the retained change records, then each new
 * write, without a gap or a duplicate (see `Store.watch`).
 *
 * @param begin callback that registers a watcher between two writes, and returns the records of all writes before
 */
export async function watchShard(
  afterSeq: number,
  listener: WriteListener,
  begin: (watcher: WriteListener) => Promise<WatchStart>,
): Promise<{ readonly first: number; close(): void }> {
  // Queue of new writes that are committed while the retained records are delivered; undefined afterwards.
  let waiting: ChangeRecord[] | undefined = [];
  const watcher = (record: ChangeRecord): void => {
    if (record.seq <= afterSeq) return;
    if (waiting === undefined) callListener(listener, record);
    else waiting.push(record);
  };
  const { shard, first, past } = await begin(watcher);
  try {
    for await (const record of past) listener(record);
  } catch (error) {
    shard.watchers.delete(watcher);
    throw error;
  }
  for (const record of waiting) callListener(listener, record);
  waiting = undefined;
  return { first, close: () => void shard.watchers.delete(watcher) };
}

/**
 * Calls a listener with a committed write. An error of the listener is thrown in a microtask, so that it does not make
 * the write fail.
 */
function callListener(listener: WriteListener, record: ChangeRecord): void {
  try {
    listener(record);
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}
