import { correctionSecondsSince, type Corrections } from '../../../clock/corrections.ts';
import type { Client } from '../../../../shared/schemas/client.ts';

/** A client as it is stored: the record that the APIs show, and attributes that they do not show. */
export interface StoredClient {
  readonly client: Client;
  readonly signature: string;
  /** Name of the client whose results created this client, if it is a proxy client. */
  readonly reporter?: string | undefined;
  /**
   * False if the client does not count toward the entity limit, because the v1 API created it (completion 1.22);
   * otherwise undefined.
   */
  readonly isCounted?: false | undefined;
  /** Number of clock corrections before the record was written; undefined if there were none. */
  readonly era?: number | undefined;
}

/** Encodes a client. The record that the APIs show comes first, so that `clientTextOf` can extract it unparsed. */
export function encodeClient({ client, signature, reporter, isCounted, era }: StoredClient): string {
  return JSON.stringify({ client, signature, reporter, isCounted, era } satisfies StoredClient);
}

export function decodeClient(value: string): StoredClient {
  return JSON.parse(value) as StoredClient;
}

/** Decodes a client. Shifts the time of its last keepalive by all clock corrections since the record was written. */
export function datedClient(value: string, corrections: Corrections): StoredClient {
  const stored = decodeClient(value);
  const seconds = correctionSecondsSince(corrections, stored.era ?? 0);
  const { client } = stored;
  return seconds === 0 ? stored : { ...stored, client: { ...client, timestamp: client.timestamp + seconds } };
}

const CLIENT_JSON_START = '{"client":';
const SIGNATURE_JSON_START = ',"signature":';

/**
 * Returns the client record that the APIs show, as JSON. If possible, cuts it out of the stored text without parsing.
 */
export function clientTextOf(value: string): string {
  // JSON escapes quotes in strings, so no value contains this text: the last match is the attribute `signature` itself.
  const end = value.lastIndexOf(SIGNATURE_JSON_START);
  if (end === -1 || !value.startsWith(CLIENT_JSON_START)) return JSON.stringify(decodeClient(value).client);
  return value.slice(CLIENT_JSON_START.length, end);
}
