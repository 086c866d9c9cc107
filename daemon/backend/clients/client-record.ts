import { secondsSince, type Corrections } from '../../clock/corrections.ts';
import type { Client } from '../../../shared/schemas/client.ts';

/** A client as it is stored: the record that is shown, and the signature that is not part of it. */
export interface StoredClient {
  readonly client: Client;
  readonly signature: string;
  /** Whose results made it, when it is a proxy client. */
  readonly reporter?: string | undefined;
  /** False: version 1 made it, so that it is no entity that the limit counts (completion 1.22); undefined: it is. */
  readonly isCounted?: false | undefined;
  /** How often the clock had been corrected when it was written; undefined: never. */
  readonly era?: number | undefined;
}

/** The client is the first part, so that `clientTextOf` finds it unread. */
export function encodeClient({ client, signature, reporter, isCounted, era }: StoredClient): string {
  return JSON.stringify({ client, signature, reporter, isCounted, era } satisfies StoredClient);
}

export function decodeClient(value: string): StoredClient {
  return JSON.parse(value) as StoredClient;
}

/** A stored client with its last sign of life by the clock of today: what the rules go on from. */
export function datedClient(value: string, corrections: Corrections): StoredClient {
  const stored = decodeClient(value);
  const seconds = secondsSince(corrections, stored.era ?? 0);
  const { client } = stored;
  return seconds === 0 ? stored : { ...stored, client: { ...client, timestamp: client.timestamp + seconds } };
}

const CLIENT = '{"client":';
const SIGNATURE = ',"signature":';

/** JSON of the client in a stored record, unread. */
export function clientTextOf(value: string): string {
  // Quotes in the texts behind it are escaped, so this is the last one.
  const end = value.lastIndexOf(SIGNATURE);
  if (end === -1 || !value.startsWith(CLIENT)) return JSON.stringify(decodeClient(value).client);
  return value.slice(CLIENT.length, end);
}
