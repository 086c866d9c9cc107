import { hasKeyRedactedByDefault, redact, redactKeysOf } from '../../../../shared/domain/redact.ts';
import type { Client } from '../../../../shared/schemas/client.ts';
import type { Store } from '../../ports.ts';
import { clientTextOf, decodeClient } from './client-record.ts';
import type { CheckEntry, ClientEntry } from '../registry/namespace.ts';
import { clientKey } from './storage.ts';
import { v2EntityOf } from '../../../../shared/domain/v2/entity.ts';
import type { V2Entity } from '../../../../shared/schemas/v2/entity.ts';

/** Reads the committed records of these clients, in the order of `entries`; deleted clients are omitted. */
export async function readClients(
  store: Pick<Store, 'getMany'>,
  entries: readonly ClientEntry[],
): Promise<(readonly [ClientEntry, Client])[]> {
  return (await readValues(store, entries)).map(([entry, value]) => [entry, decodeClient(value).client]);
}

/** Reads the committed record of a client; undefined if `entry` is undefined or the client was deleted. */
export async function readClient(
  store: Pick<Store, 'getMany'>,
  entry: ClientEntry | undefined,
): Promise<Client | undefined> {
  if (entry === undefined) return undefined;
  const [read] = await readClients(store, [entry]);
  return read?.[1];
}

/** The stored record of a client whose checks are being read. It is parsed at most once, when it is first needed. */
export class StoredOwner {
  readonly #value: string;
  #record: Client | undefined;
  #shownText: string | undefined;

  /** @param value stored text of the client */
  constructor(value: string) {
    this.#value = value;
  }

  record(): Client {
    return (this.#record ??= decodeClient(this.#value).client);
  }

  /** Returns the redacted client as JSON. */
  shownText(): string {
    return (this.#shownText ??= shownText(this.#value));
  }
}

/** Reads the committed records of the clients that these checks belong to; deleted clients are omitted. */
export async function readOwners(
  store: Pick<Store, 'getMany'>,
  entries: readonly CheckEntry[],
): Promise<ReadonlyMap<ClientEntry, StoredOwner>> {
  const owners = [...new Set(entries.map(({ client }) => client))];
  return new Map((await readValues(store, owners)).map(([client, value]) => [client, new StoredOwner(value)]));
}

/**
 * Reads the committed records of these clients, redacted, as JSON. A record without secrets is copied from the store
 * without being parsed.
 */
export async function readClientTexts(
  store: Pick<Store, 'getMany'>,
  entries: readonly ClientEntry[],
): Promise<string[]> {
  return (await readValues(store, entries)).map(([, value]) => shownText(value));
}

export function shownClient(client: Client): Client {
  return redact(client, redactKeysOf(client));
}

/** Converts a client to an entity of the v2 API, redacted. */
export function shownEntity(namespace: string, client: Client): V2Entity {
  return v2EntityOf(namespace, redact(client, redactKeysOf(client)));
}

function shownText(value: string): string {
  const text = clientTextOf(value);
  if (!hasKeyRedactedByDefault(text) && !OWN_REDACT_KEYS.test(text)) return text;
  return JSON.stringify(shownClient(JSON.parse(text) as Client));
}

/**
 * Matches a list of redact keys that the client defines itself. If another text in the record matches, the only cost is
 * the time to parse the record.
 */
const OWN_REDACT_KEYS = /"redact":\[/;

async function readValues(
  store: Pick<Store, 'getMany'>,
  entries: readonly ClientEntry[],
): Promise<(readonly [ClientEntry, string])[]> {
  const values = await store.getMany(entries.map(({ namespace, name }) => clientKey(namespace.name, name)));
  return entries.flatMap((entry, at) => {
    const value = values[at];
    return value === undefined ? [] : [[entry, value] as const];
  });
}
