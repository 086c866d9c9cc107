import { eachOf, type TableDump } from '../tables/dump-table.ts';
import type { Table } from '../registry/table.ts';
import type { ApiKey, CredentialRegistry, Session, User } from './credentials.ts';
import type { StoredTable } from '../tables/stored-table.ts';
import { type WrappedObject, wrappedOf } from '../../../../shared/domain/v2/wrapped-object.ts';

/** A stored table of credentials: users by name, API keys and sessions by id. They belong to no namespace. */
type CredentialTable<Item> = StoredTable & Table<CredentialRegistry, string, Item>;

export const USERS: CredentialTable<User> = credentialTable('user', {
  dumps: [{ type: 'User', isNamespaced: false, dumped: dumpedUsers }],
  itemsOf: ({ users }) => users,
  idOf: ({ username }) => username,
  shifted: (user, byMs) => ({ ...user, passwordChangedMs: user.passwordChangedMs + byMs }),
});

export const API_KEYS: CredentialTable<ApiKey> = credentialTable('api-key', {
  dumps: [{ type: 'APIKey', isNamespaced: false, dumped: eachOf((value) => dumpedApiKey(value as ApiKey)) }],
  itemsOf: ({ apiKeys }) => apiKeys,
  idOf: ({ id }) => id,
  // Only an expiry that was requested as a lifetime is shifted; an expiry that was requested as a date is not.
  shifted: (key, byMs) => (key.lifetime === undefined ? undefined : { ...key, expiresAt: key.expiresAt + byMs / 1000 }),
});

export const SESSIONS: CredentialTable<Session> = credentialTable('session', {
  itemsOf: ({ sessions }) => sessions,
  idOf: ({ id }) => id,
  shifted: (session, byMs) => ({
    ...session,
    startedMs: session.startedMs + byMs,
    expiresMs: session.expiresMs + byMs,
    ...(session.rotated !== undefined && { rotated: { ...session.rotated, atMs: session.rotated.atMs + byMs } }),
    access: session.access.map((token) => ({ ...token, expiresMs: token.expiresMs + byMs })),
    ...(session.login !== undefined && {
      login: {
        ...session.login,
        confirmedMs: session.login.confirmedMs + byMs,
        validUntilMs: session.login.validUntilMs + byMs,
      },
    }),
  }),
});

/** The table of the signing key of access tokens: a single key, in base64url. */
export const TOKEN_KEY: StoredTable & Table<CredentialRegistry, undefined, string> = {
  prefix: 'token-key',
  key: () => ['token-key'],
  encode: (key) => JSON.stringify(key),
  putInMemory(credentials, _id, key) {
    credentials.tokenKey = key;
  },
  removeFromMemory(credentials) {
    credentials.tokenKey = undefined;
  },
  replaceAll({ credentials }, [stored]) {
    credentials.tokenKey = stored === undefined ? undefined : (JSON.parse(stored[1]) as string);
  },
};

function credentialTable<Item>(
  prefix: string,
  {
    dumps = [],
    itemsOf,
    idOf,
    shifted,
  }: Pick<StoredTable, 'dumps'> & {
    readonly itemsOf: (credentials: CredentialRegistry) => Map<string, Item>;
    readonly idOf: (item: Item) => string;
    readonly shifted: (item: Item, byMs: number) => Item | undefined;
  },
): CredentialTable<Item> {
  return {
    prefix,
    dumps,
    key: (_credentials, id) => [prefix, id],
    encode: (item) => JSON.stringify(item),
    putInMemory: (credentials, id, item) => itemsOf(credentials).set(id, item),
    removeFromMemory(credentials, id) {
      itemsOf(credentials).delete(id);
      credentials.version++;
    },
    replaceAll({ credentials }, stored) {
      const items = itemsOf(credentials);
      items.clear();
      for (const [, text] of stored) {
        const item = JSON.parse(text) as Item;
        items.set(idOf(item), item);
      }
      credentials.version++;
    },
    updateOne([, id], text) {
      const item = text === undefined ? undefined : (JSON.parse(text) as Item);
      return ({ credentials }) => {
        if (item === undefined) itemsOf(credentials).delete(String(id));
        else itemsOf(credentials).set(idOf(item), item);
        credentials.version++;
      };
    },
    shiftTimes(text, byMs) {
      const item = shifted(JSON.parse(text) as Item, byMs);
      return item === undefined ? undefined : JSON.stringify(item);
    },
  };
}

/** Users of an identity provider are left out: their next login creates them again. */
function dumpedUsers(objects: Parameters<TableDump['dumped']>[0]): readonly WrappedObject[] {
  return objects.flatMap(([, value]) => ((value as User).account === undefined ? [dumpedUser(value as User)] : []));
}

function dumpedUser({ username, groups, disabled, passwordHash, passwordChangedMs }: User): WrappedObject {
  return wrappedOf(
    'User',
    {},
    { username, groups, disabled, password_hash: passwordHash, mon: { password_changed_ms: passwordChangedMs } },
  );
}

function dumpedApiKey(key: ApiKey): WrappedObject {
  return wrappedOf(
    'APIKey',
    { name: key.id, created_by: key.createdBy },
    {
      username: key.username,
      description: key.description,
      scopes: key.scopes,
      all_roles: key.hasAllRoles === true,
      namespace: key.namespace,
      created_at: key.createdAt,
      expires_at: key.expiresAt,
      last_used: key.lastUsed,
      hash: key.hash,
    },
  );
}
