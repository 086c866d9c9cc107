import type { ChangeRecord } from '../ports.ts';
import type { Shard } from './shard.ts';

type Listener = (record: ChangeRecord) => void;

/** The state of a shard when a watch begins. */
interface Begun {
  readonly shard: Shard;
  /** The oldest retained sequence number. */
  readonly first: number;
  /** The retained records that the watch delivers. */
  readonly past: AsyncIterable<ChangeRecord>;
}

/**
 * Delivers the writes to a shard after `afterSeq` to a listener: first the retained ones, then each new one, without a
 * gap or a duplicate (see `Store.watch`).
 *
 * @param begin registers the watcher at a moment between two writes, at which `past` ends
 */
export async function watchShard(
  afterSeq: number,
  listener: Listener,
  begin: (watcher: Listener) => Promise<Begun>,
): Promise<{ readonly first: number; close(): void }> {
  // Writes that are committed while the past is read wait here; undefined afterwards.
  let waiting: ChangeRecord[] | undefined = [];
  const watcher = (record: ChangeRecord): void => {
    if (record.seq <= afterSeq) return;
    if (waiting === undefined) deliver(listener, record);
    else waiting.push(record);
  };
  const { shard, first, past } = await begin(watcher);
  try {
    for await (const record of past) listener(record);
  } catch (error) {
    shard.watchers.delete(watcher);
    throw error;
  }
  for (const record of waiting) deliver(listener, record);
  waiting = undefined;
  return { first, close: () => void shard.watchers.delete(watcher) };
}

/** Calls a listener with a write. The write is done already, so an error of the listener is a separate defect. */
function deliver(listener: Listener, record: ChangeRecord): void {
  try {
    listener(record);
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}
