import { compileGlob } from './glob.ts';

/** Criteria for clients to remove. A criterion that is undefined is met by all clients. */
export interface PruneSelection {
  /** Minimum number of seconds since the last keepalive or result, whichever is later. */
  readonly olderThan: number | undefined;
  /** Pattern for the name, with `*` and `?`. */
  readonly name: string | undefined;
  readonly namespace: string | undefined;
}

/** The attributes of a stored client that decide whether pruning (bulk removal of old clients) removes it. */
export interface PrunedClient {
  readonly namespace: string;
  readonly name: string;
  /** Epoch seconds of the client's last keepalive, or of its newest result if that is later. */
  readonly lastSeen: number;
}

/**
 * Returns a function that tests whether a client meets all criteria for removal.
 *
 * @param now epoch seconds
 */
export function pruneFilter(
  { olderThan, name, namespace }: PruneSelection,
  now: number,
): (client: PrunedClient) => boolean {
  const matchesName = name === undefined ? () => true : compileGlob(name);
  return (client) =>
    (namespace === undefined || client.namespace === namespace) &&
    (olderThan === undefined || now - client.lastSeen >= olderThan) &&
    matchesName(client.name);
}
