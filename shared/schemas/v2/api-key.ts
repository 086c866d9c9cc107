import { z } from 'zod';
import { NAME_LENGTH_MAX } from '../name.ts';
import { SCOPES, type Scope } from '../scope.ts';
import { v2NameSchema } from '../name.ts';
import { usernameSchema } from './user.ts';

/**
 * An API key: `mk_<id>_<secret>` (security S2). The id is 8 bytes in hexadecimal digits, the secret 32 random bytes in
 * base64url.
 */
const API_KEY = /^mk_(?<id>[\da-f]{16})_(?<secret>[\w-]{43})$/;
const ID_FORMAT = /^[\da-f]{16}$/;
export const API_KEY_ID_LENGTH = 16;

/** An API key of Sensu Go: a UUID. There, the key is also the name of its resource (completion 1.17). */
const PEER_API_KEY = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/**
 * The hash of an API key: `sha256$salt$hash`, with salt and hash in base64url, see
 * `daemon/backend/access/key-secret.ts`.
 */
const KEY_HASH = /^sha256\$[\w-]{22}\$[\w-]{43}$/;

/** Maximum lifetime of an API key in seconds: a hundred years. */
const LIFETIME_SECONDS_MAX = 100 * 366 * 86_400;

export function parseApiKey(text: string): { readonly id: string; readonly secret: string } | undefined {
  const groups = API_KEY.exec(text)?.groups;
  return groups === undefined ? undefined : { id: groups['id'] ?? '', secret: groups['secret'] ?? '' };
}

export function formatApiKey(id: string, secret: string): string {
  return `mk_${id}_${secret}`;
}

export function isSensuGoApiKey(text: string): boolean {
  return PEER_API_KEY.test(text);
}

export const apiKeyIdSchema = z.string().regex(ID_FORMAT, 'must be 16 hexadecimal digits');

const scopesSchema = z.array(z.enum(SCOPES)).min(1).max(SCOPES.length);
const secondsSchema = z
  .int()
  .min(1)
  .max(4_102_444_800 + LIFETIME_SECONDS_MAX);

const limitAttributes = {
  username: usernameSchema,
  /** The purpose of the key, for people. */
  description: z.string().max(NAME_LENGTH_MAX).nullish(),
  /** Scopes of the key. Default: those of its user. */
  scopes: scopesSchema.nullish(),
  /** The only namespace that the key applies to. Default: all namespaces of the user. */
  namespace: v2NameSchema.nullish(),
  /** Time of expiry in epoch seconds; 0 or absent: never. */
  expires_at: z.union([z.literal(0), secondsSchema]).nullish(),
};

/** Body of `POST /apikeys`, which creates an API key. */
export const grantedApiKeySchema = z
  .looseObject({ ...limitAttributes, expire: z.int().min(1).max(LIFETIME_SECONDS_MAX).nullish() })
  .refine(({ expire, expires_at: at }) => !(expire && at), 'set either expire or expires_at, not both');
export type GrantedApiKey = z.infer<typeof grantedApiKeySchema>;

/** Body of `PUT /apikeys/ID`: an API key from a dump, which contains only the hash of the key. */
export const restoredApiKeySchema = z.looseObject({
  ...limitAttributes,
  /** Scopes of the key; empty for a user who has only roles. */
  scopes: z.array(z.enum(SCOPES)).max(SCOPES.length).nullish(),
  /** Whether the key has all roles of its user. Default: true if `scopes` is absent, as when a key is created. */
  all_roles: z.boolean().nullish(),
  metadata: z.looseObject({ name: apiKeyIdSchema, created_by: z.string().max(NAME_LENGTH_MAX).nullish() }),
  hash: z.string().regex(KEY_HASH, 'must be the hash of a key as in a dump: sha256$salt$hash'),
  created_at: z.int().min(0).nullish(),
  last_used: z.int().min(0).nullish(),
});
export type RestoredApiKey = z.infer<typeof restoredApiKeySchema>;

/** An API key after a patch was applied. */
export const patchedApiKeySchema = z.looseObject({ ...limitAttributes, metadata: z.looseObject({ name: z.string() }) });
export type PatchedApiKey = z.infer<typeof patchedApiKeySchema>;

/** An API key from a dump of Sensu Go. Its name is the key itself, which is hashed before it is stored. */
export const peerApiKeySchema = z.looseObject({
  ...limitAttributes,
  metadata: z.looseObject({
    name: z.string().regex(PEER_API_KEY, 'must be a UUID'),
    created_by: z.string().max(NAME_LENGTH_MAX).nullish(),
  }),
  created_at: z.int().min(0).nullish(),
});

/** An API key as administrators see it. Times are in epoch seconds. */
export interface V2ApiKey {
  /** Metadata of the key. `name` is its id. */
  readonly metadata: { readonly name: string; readonly created_by: string };
  readonly username: string;
  readonly description: string | null;
  readonly scopes: readonly Scope[];
  /** True if the key has all rights of its user's roles. Otherwise these rights apply only within `scopes`. */
  readonly all_roles: boolean;
  readonly namespace: string | null;
  readonly created_at: number;
  /** Time of expiry; 0: never. */
  readonly expires_at: number;
  /** Time of the last use, to the minute; null if the key was never used. */
  readonly last_used: number | null;
}

/** The response to the creation of an API key. It is the only response that contains the key itself. */
export interface NewApiKey extends V2ApiKey {
  readonly key: string;
}
