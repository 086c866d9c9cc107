import { compileGlob } from './glob.ts';

/** Which clients are meant; what is undefined says nothing. */
export interface PruneSelection {
  /** Seconds without a sign of life and without a result, at least. */
  readonly olderThan: number | undefined;
  /** A pattern for the name, with `*` and `?`. */
  readonly name: string | undefined;
  readonly namespace: string | undefined;
}

/** A stored client, as far as it matters here. */
export interface PrunedClient {
  readonly namespace: string;
  readonly name: string;
  /** Epoch seconds of its last sign of life, or of its newest result where that is later. */
  readonly lastSeen: number;
}

/**
 * Whether a client is meant: everything that is said holds.
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
