/** Preconditions of a request on the current version of an object, as given by HTTP headers. */
export interface Preconditions {
  /** Header `If-Match`: the entity tag of the object must be in this list; with `*`, the object must exist. */
  readonly match: string | undefined;
  /** Header `If-None-Match`: the entity tag must not be in this list; with `*`, the object must not exist. */
  readonly noneMatch: string | undefined;
}

/**
 * Whether an object meets the preconditions of a request (RFC 9110, 13.1).
 *
 * @param tag current entity tag (version) of the object; undefined if it does not exist
 */
export function meetsPreconditions({ match, noneMatch }: Preconditions, tag: string | undefined): boolean {
  return (
    (match === undefined || listContainsTag(match, tag)) &&
    (noneMatch === undefined || !listContainsTag(noneMatch, tag))
  );
}

/** Whether the list in a header contains `*` or this entity tag, weak or strong; false if the tag is undefined. */
export function listContainsTag(list: string, tag: string | undefined): boolean {
  if (tag === undefined) return false;
  return list.split(',').some((item) => item.trim() === '*' || item.trim().replace(/^W\//, '') === tag);
}
