import { kindOf, WRAPPED_KINDS, type Wrapped } from '../../../shared/domain/v2/wrapped.ts';
import { MonError } from '../../../shared/errors.ts';
import { readObjects } from './read-objects.ts';

/** Where an object stands in its file, bytes, and when it is its turn. */
export interface Place {
  readonly offset: number;
  readonly length: number;
  /** Objects of a lower rank come before. */
  readonly rank: number;
}

export interface FileIndex {
  /** In the order in which they can be restored. */
  readonly places: readonly Place[];
  /** Whether the file says where it ends. */
  readonly isMarked: boolean;
}

function rankOf(object: Wrapped): number {
  const kind = kindOf(object);
  // What nobody here knows is only to be named, before the users shut the door behind them.
  return kind === undefined ? -1 : WRAPPED_KINDS.indexOf(kind);
}

/**
 * Reads a file of objects to its end: all of it can be understood, and it is whole. Only the places are kept, because a
 * dump may be larger than the memory.
 *
 * @param onObject told of each object on the way
 * @throws MonError `invalid` when it cannot be read, or was cut off
 */
export async function indexFile(
  chunks: AsyncIterable<Uint8Array>,
  said: string,
  onObject?: (object: Wrapped) => void,
): Promise<FileIndex> {
  const places: Place[] = [];
  let hasBegin = false;
  let end: number | undefined;
  for await (const item of readObjects(chunks, said)) {
    if (item.kind === 'begin') hasBegin = true;
    else if (item.kind === 'end') end = item.count;
    else {
      const { offset, length } = item.place;
      places.push({ offset, length, rank: rankOf(item.object) });
      onObject?.(item.object);
    }
  }
  if (hasBegin && end === undefined) throw new MonError('invalid', `${said} is truncated: it has no end marker`);
  if (end !== undefined && end !== places.length) {
    throw new MonError(
      'invalid',
      `${said} is incomplete: it contains ${String(places.length)} of ${String(end)} objects`,
    );
  }
  if (places.length === 0 && !hasBegin) throw new MonError('invalid', `${said} contains no objects`);
  return { places: places.toSorted((a, b) => a.rank - b.rank || a.offset - b.offset), isMarked: end !== undefined };
}
