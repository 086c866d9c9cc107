/** What a request says of the state of an object that it wants to change. */
export interface Preconditions {
  /** `If-Match`: it must be one of these; `*`: it must be there. */
  readonly match: string | undefined;
  /** `If-None-Match`: it must be none of these; `*`: it must not be there. */
  readonly noneMatch: string | undefined;
}

/**
 * Whether an object is in a state in which the request wants it changed (RFC 9110, 13.1).
 *
 * @param tag of the object as it is; undefined: there is none
 */
export function meets({ match, noneMatch }: Preconditions, tag: string | undefined): boolean {
  return (match === undefined || names(match, tag)) && (noneMatch === undefined || !names(noneMatch, tag));
}

/** Whether the list of a header names this tag; weak and strong ones alike. */
export function names(list: string, tag: string | undefined): boolean {
  if (tag === undefined) return false;
  return list.split(',').some((item) => item.trim() === '*' || item.trim().replace(/^W\//, '') === tag);
}
