/** Preconditions of a request on the current state of an object. */
export interface Preconditions {
  /** `If-Match`: this list must contain the tag of the object; `*`: the object must exist. */
  readonly match: string | undefined;
  /** `If-None-Match`: this list must not contain the tag of the object; `*`: the object must not exist. */
  readonly noneMatch: string | undefined;
}

/**
 * Whether an object meets the preconditions of a request (RFC 9110, 13.1).
 *
 * @param tag current tag of the object; undefined if it does not exist
 */
export function meets({ match, noneMatch }: Preconditions, tag: string | undefined): boolean {
  return (match === undefined || names(match, tag)) && (noneMatch === undefined || !names(noneMatch, tag));
}

/** Whether the list in a header contains this tag, weak or strong, or `*`; false if the object does not exist. */
export function names(list: string, tag: string | undefined): boolean {
  if (tag === undefined) return false;
  return list.split(',').some((item) => item.trim() === '*' || item.trim().replace(/^W\//, '') === tag);
}
