import { kindOf, WRAPPED_KINDS, type WrappedObject } from '../../../shared/domain/v2/wrapped-object.ts';
import { MonError } from '../../../shared/errors.ts';
import { readObjects } from './read-objects.ts';

/** Position of an object in its file, in bytes, and its rank in the restore order. */
export interface ObjectLocation {
  readonly offset: number;
  readonly length: number;
  /** Objects with a lower rank are restored first. */
  readonly rank: number;
}

export interface FileIndex {
  /** The objects in the order in which they can be restored. */
  readonly locations: readonly ObjectLocation[];
  /** True if the file has an end marker. */
  readonly hasEndMarker: boolean;
}

function rankOf(object: WrappedObject): number {
  const kind = kindOf(object);
  // Objects of unknown types are only reported as skipped. They come first, and so before the users, whose restore
  // enables authentication.
  return kind === undefined ? -1 : WRAPPED_KINDS.indexOf(kind);
}

/**
 * Reads a file of objects to its end to verify that it is valid and complete. Only the positions of the objects are
 * stored, because a dump may exceed the memory.
 *
 * @param said the name of the file in error messages
 * @param onObject callback that receives each object
 * @throws MonError `invalid` when the file cannot be read, is truncated or contains no objects
 */
export async function indexFile(
  chunks: AsyncIterable<Uint8Array>,
  said: string,
  onObject?: (object: WrappedObject) => void,
): Promise<FileIndex> {
  const locations: ObjectLocation[] = [];
  let hasBegin = false;
  let end: number | undefined;
  for await (const item of readObjects(chunks, said)) {
    if (item.kind === 'begin') hasBegin = true;
    else if (item.kind === 'end') end = item.count;
    else {
      const { offset, length } = item.document;
      locations.push({ offset, length, rank: rankOf(item.object) });
      onObject?.(item.object);
    }
  }
  if (hasBegin && end === undefined) throw new MonError('invalid', `${said} is truncated: it has no end marker`);
  if (end !== undefined && end !== locations.length) {
    throw new MonError(
      'invalid',
      `${said} is incomplete: it contains ${String(locations.length)} of ${String(end)} objects`,
    );
  }
  if (locations.length === 0 && !hasBegin) throw new MonError('invalid', `${said} contains no objects`);
  return {
    locations: locations.toSorted((a, b) => a.rank - b.rank || a.offset - b.offset),
    hasEndMarker: end !== undefined,
  };
}
