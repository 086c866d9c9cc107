import { secondsSince, type Corrections } from '../../../clock/corrections.ts';
import type { Client } from '../../../../shared/schemas/client.ts';

/** A stored client: the visible record, and the signature that is not part of it. */
export interface StoredClient {
  readonly client: Client;
  readonly signature: string;
  /** The client whose results created it, if it is a proxy client. */
  readonly reporter?: string | undefined;
  /** False: version 1 created it, so the entity limit does not count it (completion 1.22); undefined: it is counted. */
  readonly isCounted?: false | undefined;
  /** Number of clock corrections when it was written; undefined: none. */
  readonly era?: number | undefined;
}

/** Encodes a client. Its record is the first part, so that `clientTextOf` can extract it unparsed. */
export function encodeClient({ client, signature, reporter, isCounted, era }: StoredClient): string {
  return JSON.stringify({ client, signature, reporter, isCounted, era } satisfies StoredClient);
}

export function decodeClient(value: string): StoredClient {
  return JSON.parse(value) as StoredClient;
}

/** Returns a stored client with its last keepalive by the present clock, which the rules use. */
export function datedClient(value: string, corrections: Corrections): StoredClient {
  const stored = decodeClient(value);
  const seconds = secondsSince(corrections, stored.era ?? 0);
  const { client } = stored;
  return seconds === 0 ? stored : { ...stored, client: { ...client, timestamp: client.timestamp + seconds } };
}

const CLIENT = '{"client":';
const SIGNATURE = ',"signature":';

/** Returns the JSON of the client in a stored record, unparsed. */
export function clientTextOf(value: string): string {
  // Quotes in the texts after it are escaped, so this is the last one.
  const end = value.lastIndexOf(SIGNATURE);
  if (end === -1 || !value.startsWith(CLIENT)) return JSON.stringify(decodeClient(value).client);
  return value.slice(CLIENT.length, end);
}
