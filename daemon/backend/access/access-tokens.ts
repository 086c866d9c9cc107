import { createSecretKey, randomBytes, type KeyObject } from 'node:crypto';
import { compactVerify, SignJWT } from 'jose';
import { accessClaimsSchema } from '../../../shared/schemas/v2/tokens.ts';
import { newSecret } from './key-secret.ts';
import type { Registry } from '../model/registry/registry.ts';
import type { Transaction } from '../model/transaction/transaction.ts';
import { TOKEN_KEY } from '../model/access/storage.ts';

const SIGNATURE_ALGORITHM = 'HS256';
const KEY_BYTES = 32;
const ID_BYTES = 8;

/**
 * Format of a token id, `<session>.<secret>`: the id of the session, and the secret that identifies the token within
 * it.
 */
const TOKEN_ID = /^(?<session>[\da-f]{16})\.(?<secret>[\w-]{43})$/;

export interface TokenId {
  readonly session: string;
  readonly secret: string;
}

/** The user for whom an access token is issued, with the groups that the claims of the token list. */
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
 * Issues and verifies access tokens: JWTs with the claims of Sensu Go, from which clients of Sensu Go read the identity
 * of the user (clients 6). They are signed with a key in the store. Whether a token is still valid depends on its
 * session.
 */
export class AccessTokens {
  readonly #credentials: Registry['credentials'];
  #key: { readonly text: string; readonly object: KeyObject } | undefined;

  constructor({ credentials }: Pick<Registry, 'credentials'>) {
    this.#credentials = credentials;
  }

  /** Stores a new signing key, unless the store already has one. */
  static ensureSigningKey(transaction: Transaction): void {
    if (transaction.registry.credentials.tokenKey !== undefined) return;
    transaction.put(
      TOKEN_KEY,
      transaction.registry.credentials,
      undefined,
      randomBytes(KEY_BYTES).toString('base64url'),
    );
  }

  /** @param expiresMs expiry of the token, epoch milliseconds */
  sign({ session, secret }: TokenId, { username, groups }: TokenSubject, expiresMs: number): Promise<string> {
    const key = this.#signingKey();
    if (key === undefined) throw new Error('internal error: the signing key for access tokens is missing');
    return new SignJWT({
      groups: [...groups],
      provider: { provider_id: 'basic', provider_type: 'basic', user_id: username },
      api_key: false,
    })
      .setProtectedHeader({ alg: SIGNATURE_ALGORITHM, typ: 'JWT' })
      .setJti(`${session}.${secret}`)
      .setSubject(username)
      .setExpirationTime(Math.floor(expiresMs / 1000))
      .sign(key);
  }

  /**
   * @returns the id of the token, even if the token has expired; undefined if its signature or its claims are invalid
   */
  async readTokenId(token: string): Promise<TokenId | undefined> {
    const key = this.#signingKey();
    if (key === undefined) return undefined;
    const payload = await verifySignature(key, token);
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

async function verifySignature(key: KeyObject, token: string): Promise<{ readonly jti: string } | undefined> {
  try {
    const { payload } = await compactVerify(token, key, { algorithms: [SIGNATURE_ALGORITHM] });
    return accessClaimsSchema.safeParse(JSON.parse(new TextDecoder().decode(payload))).data;
  } catch {
    return undefined;
  }
}
