import type { V2Type, Wrapped } from '../../../shared/domain/v2/wrapped.ts';
import { MonError } from '../../../shared/errors.ts';
import type { DumpPage } from '../../../shared/schemas/restore.ts';
import type { Key, Store } from '../ports.ts';
import type { CheckRecord } from '../events/check-record.ts';
import type { ApiKey, User } from '../access/credentials.ts';
import type { DefinitionKind } from '../definitions/state.ts';
import { decodeClient, type StoredClient } from '../clients/client-record.ts';
import type { Registry } from '../registry/registry.ts';
import { API_KEYS, USERS } from '../access/table.ts';
import { clientKey, CLIENTS } from '../clients/table.ts';
import { DEFINITIONS } from '../definitions/table.ts';
import { CHECK_RECORDS } from '../events/table.ts';
import { SILENCED } from '../silences/table.ts';
import {
  dumpedApiKey,
  dumpedDefinition,
  dumpedEntity,
  dumpedEvent,
  dumpedNamespace,
  dumpedSilenced,
  dumpedUser,
} from './dumped.ts';
import { silencedOfStored } from '../silences/stored.ts';

/** What a dump is taken from. */
export interface DumpDeps {
  readonly registry: Registry;
  readonly store: Store;
}

/** Which objects: those of a type after a place, in one namespace or in all of them. */
export interface DumpQuery {
  readonly type: V2Type;
  readonly namespace: string | undefined;
  readonly after: string | undefined;
  readonly limit: number;
}

/**
 * A page of the exact state of one type, in the order of the store: changes in between do not disturb it.
 *
 * @throws MonError `invalid` for a place that no page ended at
 */
export async function dumpPage({ registry, store }: DumpDeps, query: DumpQuery): Promise<DumpPage> {
  const { type, namespace, limit } = query;
  // Few, and `default` is not even stored.
  if (type === 'Namespace')
    return { objects: registry.declared.names().map(dumpedNamespace).map(asRecord), continue: null };
  const table = TABLES[type];
  const prefix = namespace === undefined || !table.isNamespaced ? table.prefix : [...table.prefix, namespace];
  const after = query.after === undefined ? undefined : placeOf(query.after, prefix);
  const found: Found[] = [];
  let last: Key | undefined;
  let count = 0;
  for await (const [key, value] of store.scan(prefix, { ...(after !== undefined && { after }), limit })) {
    count++;
    last = key;
    found.push([key.slice(table.prefix.length).map(String), JSON.parse(value)]);
  }
  const objects = await table.dumped(found, { registry, store });
  const isLast = last === undefined || count < limit;
  return { objects: objects.map(asRecord), continue: isLast ? null : tokenOf(last) };
}

/** Where the objects of a type are, and what a dump holds of one. */
interface Table {
  readonly prefix: Key;
  readonly isNamespaced: boolean;
  /** What is being removed is left out. */
  dumped(found: readonly Found[], parts: DumpDeps): readonly Wrapped[] | Promise<readonly Wrapped[]>;
}

/** A record, under the parts of its key behind the prefix: the namespace first, where there is one. */
type Found = readonly [parts: readonly string[], value: unknown];

function eachOf(dumped: (value: unknown, parts: readonly string[], registry: Registry) => Wrapped): Table['dumped'] {
  return (found, { registry }) => found.map(([parts, value]) => dumped(value, parts, registry));
}

const TABLES: Readonly<Record<Exclude<V2Type, 'Namespace'>, Table>> = {
  User: { prefix: [USERS.prefix], isNamespaced: false, dumped: eachOf((value) => dumpedUser(value as User)) },
  APIKey: { prefix: [API_KEYS.prefix], isNamespaced: false, dumped: eachOf((value) => dumpedApiKey(value as ApiKey)) },
  ClusterRole: { ...definitionsOf('ClusterRole', 'clusterroles'), isNamespaced: false },
  ClusterRoleBinding: { ...definitionsOf('ClusterRoleBinding', 'clusterrolebindings'), isNamespaced: false },
  Role: definitionsOf('Role', 'roles'),
  RoleBinding: definitionsOf('RoleBinding', 'rolebindings'),
  EventFilter: definitionsOf('EventFilter', 'filters'),
  Mutator: definitionsOf('Mutator', 'mutators'),
  Handler: definitionsOf('Handler', 'handlers'),
  Asset: definitionsOf('Asset', 'assets'),
  HookConfig: definitionsOf('HookConfig', 'hooks'),
  CheckConfig: definitionsOf('CheckConfig', 'checks'),
  Silenced: {
    prefix: [SILENCED.prefix],
    isNamespaced: true,
    dumped: eachOf((value, [namespace = ''], registry) => {
      const entry = silencedOfStored(value);
      return dumpedSilenced(namespace, entry, registry.namespace(namespace).silenced.use(entry.id));
    }),
  },
  Entity: {
    prefix: [CLIENTS.prefix],
    isNamespaced: true,
    dumped: eachOf((value, [namespace = '']) => dumpedEntity(namespace, value as StoredClient)),
  },
  Event: {
    prefix: [CHECK_RECORDS.prefix],
    isNamespaced: true,
    async dumped(found, { store }) {
      const keys = found.map(([[namespace = '', client = '']]) => clientKey(namespace, client));
      const owners = await store.getMany(keys);
      return found.flatMap(([[namespace = ''], value], at) => {
        const owner = owners[at];
        return owner === undefined ? [] : dumpedEvent(namespace, decodeClient(owner).client, value as CheckRecord);
      });
    },
  },
};

function definitionsOf(type: V2Type, kind: DefinitionKind): Table {
  return {
    prefix: [DEFINITIONS.prefix, kind],
    isNamespaced: true,
    dumped: eachOf((value) => dumpedDefinition(type, value as Parameters<typeof dumpedDefinition>[1])),
  };
}

function tokenOf(key: Key | undefined): string {
  return Buffer.from(JSON.stringify(key)).toString('base64url');
}

/** @throws MonError `invalid` */
function placeOf(token: string, prefix: Key): Key {
  try {
    const key: unknown = JSON.parse(Buffer.from(token, 'base64url').toString('utf8'));
    const isKey = Array.isArray(key) && key.every((part) => typeof part === 'string') && key.length <= 4;
    if (isKey && prefix.every((part, at) => key[at] === part)) return key;
  } catch {
    // Said below.
  }
  throw new MonError('invalid', 'continue: is no place at which a page ended, begin without it');
}

function asRecord(object: Wrapped): Readonly<Record<string, unknown>> {
  return { ...object };
}
