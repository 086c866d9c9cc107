import { errorMessage, MonError } from '../../../shared/errors.ts';
import type { Log } from '../../log/log.ts';
import type { Clock } from '../ports.ts';
import type { Session } from '../model/access/credentials.ts';
import type { Registry } from '../model/registry/registry.ts';
import { AccessTokens, newSessionId, newTokenId, type TokenId, type TokenSubject } from './access-tokens.ts';
import type { Batcher } from '../commit/batcher.ts';
import type { CredentialVersions } from './credential-versions.ts';
import { newSecret } from './key-secret.ts';
import {
  digestOf,
  formatRefreshToken,
  isSameDigest,
  nextRefreshSecret,
  parseRefreshToken,
  stateOfRefreshToken,
  type RefreshTokenState,
} from './refresh-tokens.ts';
import { endSessions } from '../model/access/mutations.ts';
import { backendActor, recordAudit } from '../model/audit/mutations.ts';
import type { Actor } from '../../../shared/schemas/audit.ts';
import { storedVersion } from './credential-versions.ts';
import type { Principal } from './principal.ts';
import type { Transaction } from '../model/transaction/transaction.ts';
import { SESSIONS } from '../model/access/storage.ts';

/**
 * Lifetimes of tokens, in milliseconds: short for access tokens, which each request contains, and long for refresh
 * tokens, which are rarely sent.
 */
const ACCESS_MS = 15 * 60_000;
const REFRESH_MS = 12 * 3_600_000;
const SWEEP_MS = 60_000;

/** Maximum number of sessions per user, which is high because some clients log in for every single request. */
export const SESSIONS_OF_USER_MAX = 10_000;
/** Maximum number of valid access tokens per session: requests in progress may still contain earlier tokens. */
const ACCESS_TOKENS_MAX = 4;

/** The tokens that a log-in or a refresh returns. */
export interface Tokens {
  readonly accessToken: string;
  readonly refreshToken: string;
  /** Time when the access token expires, epoch milliseconds. */
  readonly expiresMs: number;
}

/** The session and the refresh secret from a request whose two tokens belong to the same session. */
interface SubmittedTokens {
  readonly session: string;
  readonly refreshSecret: string;
}

interface SessionDependencies {
  readonly batcher: Batcher;
  readonly registry: Registry;
  readonly clock: Clock;
  readonly log: Log;
  /** Returns the groups of a user, which the user's access tokens list. */
  readonly groupsOf: (username: string) => readonly string[];
  readonly versions: Pick<CredentialVersions, 'of'>;
  /** Maximum number of sessions per user; default: `SESSIONS_OF_USER_MAX`. */
  readonly sessionsOfUserMax?: number;
}

/**
 * Sessions of users who log in for tokens. The store contains them, with hashes of the secrets, so that they survive a
 * restart. A log-out takes effect at once.
 */
export class Sessions implements Disposable {
  readonly #parts: SessionDependencies;
  readonly #tokens: AccessTokens;
  readonly #timer: Disposable;
  /** Time when an access token of a session was last used, by session id, epoch milliseconds; lost at a restart. */
  readonly #uses = new Map<string, number>();

  constructor(parts: SessionDependencies) {
    this.#parts = parts;
    this.#tokens = new AccessTokens(parts.registry);
    this.#timer = parts.clock.every(SWEEP_MS, () => {
      this.#sweep().catch((error: unknown) => {
        parts.log.warn({ reason: errorMessage(error) }, 'could not remove expired sessions');
      });
    });
  }

  /**
   * Begins a session of a user whose password was verified.
   *
   * @throws MonError `unauthenticated` if the credentials have changed since the verification
   */
  async open({ name: username, credentialVersion }: Pick<Principal, 'name' | 'credentialVersion'>): Promise<Tokens> {
    const access = newTokenId(newSessionId());
    const refresh = newSecret();
    const expiresMs = await this.#parts.batcher.run((transaction) => {
      const { nowMs } = transaction;
      if (credentialVersion === undefined || this.#parts.versions.of(username) !== credentialVersion)
        throw invalidTokenError();
      AccessTokens.ensureSigningKey(transaction);
      this.#evictSessions(transaction, username);
      const ends = nowMs + ACCESS_MS;
      transaction.put(SESSIONS, transaction.registry.credentials, access.session, {
        id: access.session,
        username,
        startedMs: nowMs,
        refreshHash: digestOf(refresh),
        credentialVersion,
        expiresMs: nowMs + REFRESH_MS,
        access: [{ hash: digestOf(access.secret), expiresMs: ends }],
      });
      return ends;
    });
    const refreshToken = formatRefreshToken({ session: access.session, secret: refresh });
    return this.#tokensOf(access, username, refreshToken, expiresMs);
  }

  /**
   * Issues a new access token and a new refresh token. For 30 seconds the old refresh token is accepted again, and
   * yields the same new refresh token. A use of the old token after that ends the session, because the token was
   * probably stolen.
   *
   * @param accessToken access token of the same session, possibly expired
   * @throws MonError `unauthenticated` if a token is invalid, or if the session has ended
   */
  async refresh(accessToken: string, refreshToken: string): Promise<Tokens> {
    const shown = await this.#shown(accessToken, refreshToken);
    const refreshed = await this.#parts.batcher.run((transaction) => {
      const { nowMs } = transaction;
      const { session, state } = this.#sessionOf(shown, nowMs);
      if (state === 'used') return this.#endReused(transaction, session);
      AccessTokens.ensureSigningKey(transaction);
      const salt = state === 'rotated' && session.rotated !== undefined ? session.rotated.salt : newSecret();
      const secret = nextRefreshSecret(shown.refreshSecret, salt);
      const access = newTokenId(session.id);
      const ends = nowMs + ACCESS_MS;
      const isPresent = state === 'present';
      transaction.put(SESSIONS, transaction.registry.credentials, session.id, {
        ...session,
        ...(isPresent && {
          refreshHash: digestOf(secret),
          rotated: { hash: session.refreshHash, salt, atMs: nowMs },
        }),
        expiresMs: nowMs + REFRESH_MS,
        access: [...session.access.slice(1 - ACCESS_TOKENS_MAX), { hash: digestOf(access.secret), expiresMs: ends }],
      });
      return {
        username: session.username,
        access,
        refreshToken: formatRefreshToken({ session: session.id, secret }),
        ends,
      };
    });
    if (refreshed === 'ended') throw invalidTokenError();
    const { username, access, refreshToken: next, ends } = refreshed;
    return this.#tokensOf(access, username, next, ends);
  }

  /**
   * Ends the session of an access token and a refresh token.
   *
   * @throws MonError `unauthenticated` if a token is invalid, or if the session has already ended
   */
  async close(accessToken: string, refreshToken: string): Promise<void> {
    const shown = await this.#shown(accessToken, refreshToken);
    const closed = await this.#parts.batcher.run((transaction) => {
      const { session, state } = this.#sessionOf(shown, transaction.nowMs);
      if (state === 'used') return this.#endReused(transaction, session);
      transaction.remove(SESSIONS, transaction.registry.credentials, session.id);
      return 'closed';
    });
    if (closed === 'ended') throw invalidTokenError();
  }

  /**
   * Ends all sessions of a user, and a stored user's connections that were opened by password. API keys stay valid.
   *
   * @throws MonError `not_found` if there is no such user
   */
  logOut(username: string, actor: Actor): Promise<void> {
    return this.#parts.batcher.run((transaction) => {
      const { users } = transaction.registry.credentials;
      if (!users.has(username) && this.#parts.versions.of(username) === undefined) {
        throw new MonError('not_found', `there is no user ${username}`);
      }
      const sessions = endSessions(transaction, username);
      recordAudit(transaction, actor, { action: 'user.log-out', target: username, before: { sessions } });
    });
  }

  /** True if the session has not expired, and the user's credentials have not changed since it began. */
  isValid({ username, credentialVersion = storedVersion(0), expiresMs }: Session): boolean {
    return expiresMs > this.#parts.clock.now() && this.#parts.versions.of(username) === credentialVersion;
  }

  /** Returns the session of an access token; undefined if the token or its session is not valid. */
  async findByAccessToken(accessToken: string): Promise<Session | undefined> {
    const shown = await this.#tokens.readTokenId(accessToken);
    if (shown === undefined) return undefined;
    const session = this.#parts.registry.credentials.sessions.get(shown.session);
    if (session === undefined || !this.isValid(session)) return undefined;
    const digest = digestOf(shown.secret);
    const now = this.#parts.clock.now();
    if (!session.access.some((token) => token.expiresMs > now && isSameDigest(token.hash, digest))) return undefined;
    this.#uses.set(session.id, now);
    return session;
  }

  [Symbol.dispose](): void {
    this.#timer[Symbol.dispose]();
  }

  async #tokensOf(access: TokenId, username: string, refreshToken: string, expiresMs: number): Promise<Tokens> {
    const subject: TokenSubject = { username, groups: this.#parts.groupsOf(username) };
    return { accessToken: await this.#tokens.sign(access, subject, expiresMs), refreshToken, expiresMs };
  }

  /**
   * Removes sessions of a user who has the maximum number: all invalid sessions, or, if none is invalid, the session
   * that was idle for longest.
   */
  #evictSessions(transaction: Transaction, username: string): void {
    const max = this.#parts.sessionsOfUserMax ?? SESSIONS_OF_USER_MAX;
    const { credentials } = transaction.registry;
    if (credentials.sessions.size < max) return;
    const own = credentials.sessionsOf(username);
    if (own.length < max) return;
    const over = own.filter((session) => !this.isValid(session));
    const idle = own.reduce((least, session) => (this.#usedMs(session) < this.#usedMs(least) ? session : least));
    for (const { id } of over.length > 0 ? over : [idle])
      transaction.remove(SESSIONS, transaction.registry.credentials, id);
  }

  #usedMs({ id, expiresMs }: Session): number {
    return Math.max(this.#uses.get(id) ?? 0, expiresMs - REFRESH_MS);
  }

  /**
   * @throws MonError `unauthenticated` for tokens of different sessions, or an access token that no backend with this
   *   store issued
   */
  async #shown(accessToken: string, refreshToken: string): Promise<SubmittedTokens> {
    const access = await this.#tokens.readTokenId(accessToken);
    const refresh = parseRefreshToken(refreshToken);
    if (access === undefined || refresh?.session !== access.session) throw invalidTokenError();
    return { session: access.session, refreshSecret: refresh.secret };
  }

  /**
   * Returns the session of a pair of tokens, and the state of the refresh token. The access token need not be valid for
   * requests any more: its signature proves its origin, and the refresh token decides.
   *
   * @throws MonError `unauthenticated` if the session has ended
   */
  #sessionOf(
    { session: id, refreshSecret }: SubmittedTokens,
    nowMs: number,
  ): { readonly session: Session; readonly state: RefreshTokenState } {
    const session = this.#parts.registry.credentials.sessions.get(id);
    if (session === undefined || !this.isValid(session)) throw invalidTokenError();
    return { session, state: stateOfRefreshToken(session, refreshSecret, nowMs) };
  }

  #endReused(transaction: Transaction, { id, username }: Session): 'ended' {
    transaction.remove(SESSIONS, transaction.registry.credentials, id);
    recordAudit(transaction, backendActor('a refresh token was used twice'), {
      action: 'user.log-out',
      target: username,
    });
    this.#parts.log.warn({}, 'refresh token was used twice and may be stolen: the session was terminated');
    return 'ended';
  }

  async #sweep(): Promise<void> {
    const { sessions } = this.#parts.registry.credentials;
    for (const id of this.#uses.keys()) if (!sessions.has(id)) this.#uses.delete(id);
    const isOver = (session: Session): boolean => !this.isValid(session);
    const over = [...sessions.values()].filter(isOver);
    if (over.length === 0 || !this.#parts.batcher.isLeading) return;
    await this.#parts.batcher.run((transaction) => {
      for (const { id } of over) {
        // The session may have been refreshed since it was found to be expired.
        const session = transaction.registry.credentials.sessions.get(id);
        if (session !== undefined && isOver(session))
          transaction.remove(SESSIONS, transaction.registry.credentials, id);
      }
    });
  }
}

function invalidTokenError(): MonError {
  return new MonError('unauthenticated', 'the refresh token is invalid or expired: log in again');
}
