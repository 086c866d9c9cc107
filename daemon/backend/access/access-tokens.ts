import { createSecretKey, randomBytes, type KeyObject } from 'node:crypto';
import { compactVerify, SignJWT } from 'jose';
import { accessClaimsSchema } from '../../../shared/schemas/v2/tokens.ts';
import { newSecret } from './key-secret.ts';
import type { Registry } from '../model/registry/registry.ts';
import type { Transaction } from '../model/transaction/transaction.ts';
import { TOKEN_KEY } from '../model/access/storage.ts';

const ALGORITHM = 'HS256';
const KEY_BYTES = 32;
const ID_BYTES = 8;

/** `<session>.<secret>`: the session of a token, and the secret that identifies the token within it. */
const TOKEN_ID = /^(?<session>[\da-f]{16})\.(?<secret>[\w-]{43})$/;

export interface TokenId {
  readonly session: string;
  readonly secret: string;
}

/** The user for whom a token is issued, as its claims name them. */
export interface TokenSubject {
  readonly username: string;
  readonly groups: readonly string[];
}

export function newSessionId(): string {
  return randomBytes(ID_BYTES).toString('hex');
}

export function newTokenId(session: string): TokenId {
  return { session, secret: newSecret() };
}

/**
 * Access tokens: JWTs in the form of Sensu Go (clients 6), from which its clients read who they are. They are signed
 * with a key of the store. Whether a token is still valid depends on its session.
 */
export class AccessTokens {
  readonly #credentials: Registry['credentials'];
  #key: { readonly text: string; readonly object: KeyObject } | undefined;

  constructor({ credentials }: Pick<Registry, 'credentials'>) {
    this.#credentials = credentials;
  }

  /** Creates the signing key if there is none. */
  static prepare(transaction: Transaction): void {
    if (transaction.registry.credentials.tokenKey !== undefined) return;
    transaction.put(
      TOKEN_KEY,
      transaction.registry.credentials,
      undefined,
      randomBytes(KEY_BYTES).toString('base64url'),
    );
  }

  /** @param expiresMs epoch milliseconds */
  sign({ session, secret }: TokenId, { username, groups }: TokenSubject, expiresMs: number): Promise<string> {
    const key = this.#signingKey();
    if (key === undefined) throw new Error('internal error: the signing key for access tokens is missing');
    return new SignJWT({
      groups: [...groups],
      provider: { provider_id: 'basic', provider_type: 'basic', user_id: username },
      api_key: false,
    })
      .setProtectedHeader({ alg: ALGORITHM, typ: 'JWT' })
      .setJti(`${session}.${secret}`)
      .setSubject(username)
      .setExpirationTime(Math.floor(expiresMs / 1000))
      .sign(key);
  }

  /** @returns the id of the token, even if it has expired; undefined: this backend did not sign it */
  async read(token: string): Promise<TokenId | undefined> {
    const key = this.#signingKey();
    if (key === undefined) return undefined;
    const payload = await signedBy(key, token);
    const groups = payload === undefined ? undefined : TOKEN_ID.exec(payload.jti)?.groups;
    return groups === undefined ? undefined : { session: groups['session'] ?? '', secret: groups['secret'] ?? '' };
  }

  #signingKey(): KeyObject | undefined {
    const text = this.#credentials.tokenKey;
    if (text === undefined) return undefined;
    if (this.#key?.text !== text) this.#key = { text, object: createSecretKey(text, 'base64url') };
    return this.#key.object;
  }
}

async function signedBy(key: KeyObject, token: string): Promise<{ readonly jti: string } | undefined> {
  try {
    const { payload } = await compactVerify(token, key, { algorithms: [ALGORITHM] });
    return accessClaimsSchema.safeParse(JSON.parse(new TextDecoder().decode(payload))).data;
  } catch {
    return undefined;
  }
}
