import { z } from 'zod';
import { NAME_LENGTH_MAX } from '../name.ts';
import { SCOPES, type Scope } from '../scope.ts';
import { v2NameSchema } from '../name.ts';
import { usernameSchema } from './user.ts';

/** `mk_<id>_<secret>` (security S2): 8 bytes in hexadecimal digits, 32 random bytes in base64url. */
const API_KEY = /^mk_(?<id>[\da-f]{16})_(?<secret>[\w-]{43})$/;
const ID = /^[\da-f]{16}$/;
export const API_KEY_ID_LENGTH = 16;

/** A key of the peer, which is also the name of its resource there (completion 1.17). */
const PEER_API_KEY = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** `sha256$salt$hash`, both in base64url: see `daemon/backend/access/key-secret.ts`. */
const KEY_HASH = /^sha256\$[\w-]{22}\$[\w-]{43}$/;

/** Maximum time to expiry: a hundred years, in seconds. */
const LIFETIME_SECONDS_MAX = 100 * 366 * 86_400;

export function parseApiKey(text: string): { readonly id: string; readonly secret: string } | undefined {
  const groups = API_KEY.exec(text)?.groups;
  return groups === undefined ? undefined : { id: groups['id'] ?? '', secret: groups['secret'] ?? '' };
}

export function formatApiKey(id: string, secret: string): string {
  return `mk_${id}_${secret}`;
}

export function isPeerApiKey(text: string): boolean {
  return PEER_API_KEY.test(text);
}

export const apiKeyIdSchema = z.string().regex(ID, 'must be 16 hexadecimal digits');

const scopesSchema = z.array(z.enum(SCOPES)).min(1).max(SCOPES.length);
const secondsSchema = z
  .int()
  .min(1)
  .max(4_102_444_800 + LIFETIME_SECONDS_MAX);

const limits = {
  username: usernameSchema,
  /** The purpose of the key, for people. */
  description: z.string().max(NAME_LENGTH_MAX).nullish(),
  /** Default: the scopes of the user. */
  scopes: scopesSchema.nullish(),
  /** The only namespace that the key applies to. Default: all namespaces of the user. */
  namespace: v2NameSchema.nullish(),
  /** Epoch seconds; 0 or absent: never. */
  expires_at: z.union([z.literal(0), secondsSchema]).nullish(),
};

/** Body of `POST /apikeys`. */
export const grantedApiKeySchema = z
  .looseObject({ ...limits, expire: z.int().min(1).max(LIFETIME_SECONDS_MAX).nullish() })
  .refine(({ expire, expires_at: at }) => !(expire && at), 'set either expire or expires_at, not both');
export type GrantedApiKey = z.infer<typeof grantedApiKeySchema>;

/** Body of `PUT /apikeys/ID`: a key from a dump, which contains only the hash. */
export const restoredApiKeySchema = z.looseObject({
  ...limits,
  /** Empty for a user who has only roles. */
  scopes: z.array(z.enum(SCOPES)).max(SCOPES.length).nullish(),
  /** Default: true if `scopes` is absent, as for a key granted without scopes. */
  all_roles: z.boolean().nullish(),
  metadata: z.looseObject({ name: apiKeyIdSchema, created_by: z.string().max(NAME_LENGTH_MAX).nullish() }),
  hash: z.string().regex(KEY_HASH, 'must be the hash of a key as in a dump: sha256$salt$hash'),
  created_at: z.int().min(0).nullish(),
  last_used: z.int().min(0).nullish(),
});
export type RestoredApiKey = z.infer<typeof restoredApiKeySchema>;

/** A key after a patch was applied. */
export const patchedApiKeySchema = z.looseObject({ ...limits, metadata: z.looseObject({ name: z.string() }) });
export type PatchedApiKey = z.infer<typeof patchedApiKeySchema>;

/** A key of the peer from its dump: the name is the key itself, which is hashed before it is stored. */
export const peerApiKeySchema = z.looseObject({
  ...limits,
  metadata: z.looseObject({
    name: z.string().regex(PEER_API_KEY, 'must be a UUID'),
    created_by: z.string().max(NAME_LENGTH_MAX).nullish(),
  }),
  created_at: z.int().min(0).nullish(),
});

/** A key as administrators see it. Times are epoch seconds. */
export interface V2ApiKey {
  /** `name` is the id of the key. */
  readonly metadata: { readonly name: string; readonly created_by: string };
  readonly username: string;
  readonly description: string | null;
  readonly scopes: readonly Scope[];
  /** Whether it has all rights of its user's roles; otherwise they apply only within the scopes. */
  readonly all_roles: boolean;
  readonly namespace: string | null;
  readonly created_at: number;
  /** 0: never. */
  readonly expires_at: number;
  /** Time of the last use, to the minute; null: never. */
  readonly last_used: number | null;
}

/** The response to the creation of a key, which is the only time that the key itself is shown. */
export interface NewApiKey extends V2ApiKey {
  readonly key: string;
}
