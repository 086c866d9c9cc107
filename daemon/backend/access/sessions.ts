import { isDeepStrictEqual } from 'node:util';
import {
  CONFIRMED_MS,
  loginRefusal,
  renewalRefusal,
  type IssuerAnswer,
  type OidcIdentity,
} from '../../../shared/domain/oidc.ts';
import { errorMessage, MonError } from '../../../shared/errors.ts';
import type { Log } from '../../log/log.ts';
import type { Clock } from '../ports.ts';
import type { IssuerLogin, Session } from '../model/access/credentials.ts';
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
import { endSessions, saveUser } from '../model/access/mutations.ts';
import { backendActor, recordAudit } from '../model/audit/mutations.ts';
import type { Actor } from '../../../shared/schemas/audit.ts';
import { storedVersion } from './credential-versions.ts';
import type { Issuer } from './oidc/issuer.ts';
import { sealToken, unsealToken } from './oidc/sealed-token.ts';
import { USERS_MAX } from './users.ts';
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
  readonly versions: Pick<CredentialVersions, 'versionOfUser' | 'configuredUser'>;
  /** Returns the identity provider of the settings; undefined if there is none. */
  readonly issuer: () => Pick<Issuer, 'confirm' | 'revoke'> | undefined;
  /** Maximum number of sessions per user; default: `SESSIONS_OF_USER_MAX`. */
  readonly sessionsOfUserMax?: number;
}

/**
 * Sessions of users who log in for tokens. The store contains them, with hashes of the secrets, so that they survive a
 * restart. A log-out takes effect at once.
 */
export class Sessions implements Disposable {
  readonly #dependencies: SessionDependencies;
  readonly #tokens: AccessTokens;
  readonly #timer: Disposable;
  /** Time when an access token of a session was last used, by session id, epoch milliseconds; lost at a restart. */
  readonly #uses = new Map<string, number>();
  /** The last refresh in progress, by session id. */
  readonly #refreshes = new Map<string, Promise<unknown>>();
  #isIssuerAway = false;

  constructor(dependencies: SessionDependencies) {
    this.#dependencies = dependencies;
    this.#tokens = new AccessTokens(dependencies.registry);
    this.#timer = dependencies.clock.every(SWEEP_MS, () => {
      this.#sweep().catch((error: unknown) => {
        dependencies.log.warn({ reason: errorMessage(error) }, 'could not remove expired sessions');
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
    const secret = newSecret();
    const expiresMs = await this.#dependencies.batcher.run((transaction) => {
      if (credentialVersion === undefined || this.#dependencies.versions.versionOfUser(username) !== credentialVersion)
        throw invalidTokenError();
      return this.#begin(transaction, username, { access, secret });
    });
    return this.#tokensOf(access, username, formatRefreshToken({ session: access.session, secret }), expiresMs);
  }

  /**
   * Begins a session of a user who logged in at the identity provider. The user is created or gets its current groups.
   *
   * @param refreshToken refresh token of the provider, with which each refresh of the session checks the login
   * @throws MonError `forbidden` if the user may not log in, `unavailable` if the maximum number of users is reached
   */
  async openLogin(identity: OidcIdentity, refreshToken: string, actor: Pick<Actor, 'from' | 'how'>): Promise<Tokens> {
    const { username, issuer, subject, groups } = identity;
    const access = newTokenId(newSessionId());
    const secret = newSecret();
    const sealed = sealToken(refreshToken, secret, access.session);
    const expiresMs = await this.#dependencies.batcher.run((transaction) => {
      const { nowMs } = transaction;
      const { users } = transaction.registry.credentials;
      const before = users.get(username);
      const refusal = loginRefusal(identity, before, username === this.#dependencies.versions.configuredUser);
      if (refusal !== undefined) throw new MonError('forbidden', refusal);
      transaction.refuseNew(before);
      if (before === undefined && users.size >= USERS_MAX) {
        throw new MonError('unavailable', `the limit of ${String(USERS_MAX)} users is reached: ask an administrator`);
      }
      const account = { issuer, subject };
      saveUser(
        transaction,
        before === undefined
          ? { username, groups, disabled: false, passwordHash: '', passwordChangedMs: nowMs, account }
          : { ...before, groups },
      );
      recordAudit(
        transaction,
        { ...actor, who: username, issuer, subject },
        { action: 'user.log-in', target: username, after: { groups } },
      );
      const login = { ...account, sealed, confirmedMs: nowMs, validUntilMs: nowMs + CONFIRMED_MS };
      return this.#begin(transaction, username, { access, secret, login });
    });
    return this.#tokensOf(access, username, formatRefreshToken({ session: access.session, secret }), expiresMs);
  }

  /**
   * Issues a new access token and a new refresh token. For 30 seconds the old refresh token is accepted again, and
   * yields the same new refresh token. A use of the old token after that ends the session, because the token was
   * probably stolen. If the user logged in at the identity provider, the provider must confirm the login.
   *
   * @param accessToken access token of the same session, possibly expired
   * @throws MonError `unauthenticated` if a token is invalid, or if the session has ended
   */
  async refresh(accessToken: string, refreshToken: string): Promise<Tokens> {
    const shown = await this.#parseSubmittedTokens(accessToken, refreshToken);
    const session = this.#dependencies.registry.credentials.sessions.get(shown.session);
    if (session?.login === undefined) return this.#refresh(shown);
    // The provider accepts a refresh token only once, so concurrent refreshes of one session wait for each other.
    return this.#runExclusively(shown.session, async () => this.#refresh(shown, await this.#confirm(shown)));
  }

  async #refresh(shown: SubmittedTokens, answer?: IssuerAnswer): Promise<Tokens> {
    const refreshed = await this.#dependencies.batcher.run((transaction) => {
      const { nowMs } = transaction;
      const { session, state } = this.#sessionOf(shown, nowMs);
      if (state === 'used') return this.#endReused(transaction, session);
      AccessTokens.ensureSigningKey(transaction);
      const salt = state === 'rotated' && session.rotated !== undefined ? session.rotated.salt : newSecret();
      const secret = nextRefreshSecret(shown.refreshSecret, salt);
      const access = newTokenId(session.id);
      const isPresent = state === 'present';
      const login = session.login && isPresent ? this.#renewLogin(transaction, session, secret, answer) : session.login;
      if (login === 'ended') return login;
      const ends = login?.validUntilMs ?? nowMs + ACCESS_MS;
      transaction.put(SESSIONS, transaction.registry.credentials, session.id, {
        ...session,
        ...(isPresent && {
          refreshHash: digestOf(secret),
          rotated: { hash: session.refreshHash, salt, atMs: nowMs },
        }),
        ...(login !== undefined && { login }),
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
   * Ends the session of an access token and a refresh token. A login at the identity provider is revoked there too.
   *
   * @throws MonError `unauthenticated` if a token is invalid, or if the session has already ended
   */
  async close(accessToken: string, refreshToken: string): Promise<void> {
    const shown = await this.#parseSubmittedTokens(accessToken, refreshToken);
    const closed = await this.#dependencies.batcher.run((transaction) => {
      const { session, state } = this.#sessionOf(shown, transaction.nowMs);
      if (state === 'used') return this.#endReused(transaction, session);
      transaction.remove(SESSIONS, transaction.registry.credentials, session.id);
      return { session, state };
    });
    if (closed === 'ended') throw invalidTokenError();
    const { session, state } = closed;
    if (session.login === undefined) return;
    const salt = state === 'rotated' ? session.rotated?.salt : undefined;
    const secret = salt === undefined ? shown.refreshSecret : nextRefreshSecret(shown.refreshSecret, salt);
    const token = unsealToken(session.login.sealed, secret, session.id);
    if (token === undefined) return;
    // The session has ended already, so a failure at the provider is only logged.
    await this.#dependencies
      .issuer()
      ?.revoke(token)
      .catch((error: unknown) => {
        this.#dependencies.log.warn(
          { reason: errorMessage(error) },
          'could not revoke a login at the identity provider',
        );
      });
  }

  /**
   * Ends all sessions of a user, and a stored user's connections that were opened by password. API keys stay valid.
   *
   * @throws MonError `not_found` if there is no such user
   */
  logOut(username: string, actor: Actor): Promise<void> {
    return this.#dependencies.batcher.run((transaction) => {
      const { users } = transaction.registry.credentials;
      if (!users.has(username) && this.#dependencies.versions.versionOfUser(username) === undefined) {
        throw new MonError('not_found', `there is no user ${username}`);
      }
      const sessions = endSessions(transaction, username);
      recordAudit(transaction, actor, { action: 'user.log-out', target: username, before: { sessions } });
    });
  }

  /** True if the session has not expired, and the user's credentials have not changed since it began. */
  isValid({ username, credentialVersion = storedVersion(0), expiresMs }: Session): boolean {
    return (
      expiresMs > this.#dependencies.clock.now() &&
      this.#dependencies.versions.versionOfUser(username) === credentialVersion
    );
  }

  /** True if the session is valid, and no check by the identity provider is due. */
  isUsable(session: Session): boolean {
    return this.isValid(session) && (session.login?.validUntilMs ?? Infinity) > this.#dependencies.clock.now();
  }

  /** Returns the session of an access token; undefined if the token or its session is not valid. */
  async findByAccessToken(accessToken: string): Promise<Session | undefined> {
    const shown = await this.#tokens.readTokenId(accessToken);
    if (shown === undefined) return undefined;
    const session = this.#dependencies.registry.credentials.sessions.get(shown.session);
    if (session === undefined || !this.isUsable(session)) return undefined;
    const digest = digestOf(shown.secret);
    const now = this.#dependencies.clock.now();
    if (!session.access.some((token) => token.expiresMs > now && isSameDigest(token.hash, digest))) return undefined;
    this.#uses.set(session.id, now);
    return session;
  }

  [Symbol.dispose](): void {
    this.#timer[Symbol.dispose]();
  }

  /** Stores a new session. @returns the time when its access token expires, epoch milliseconds */
  #begin(
    transaction: Transaction,
    username: string,
    { access, secret, login }: { readonly access: TokenId; readonly secret: string; readonly login?: IssuerLogin },
  ): number {
    const { nowMs } = transaction;
    AccessTokens.ensureSigningKey(transaction);
    this.#evictSessions(transaction, username);
    const ends = login?.validUntilMs ?? nowMs + ACCESS_MS;
    transaction.put(SESSIONS, transaction.registry.credentials, access.session, {
      id: access.session,
      username,
      startedMs: nowMs,
      refreshHash: digestOf(secret),
      credentialVersion: this.#dependencies.versions.versionOfUser(username),
      expiresMs: nowMs + REFRESH_MS,
      access: [{ hash: digestOf(access.secret), expiresMs: ends }],
      ...(login !== undefined && { login }),
    });
    return ends;
  }

  /** Runs a task after all earlier tasks of the same session. */
  async #runExclusively<Result>(session: string, task: () => Promise<Result>): Promise<Result> {
    const earlier = this.#refreshes.get(session) ?? Promise.resolve();
    const run = earlier.catch(() => undefined).then(task);
    this.#refreshes.set(session, run);
    try {
      return await run;
    } finally {
      if (this.#refreshes.get(session) === run) this.#refreshes.delete(session);
    }
  }

  /**
   * Asks the identity provider whether the login of a session is still valid.
   *
   * @returns the answer; undefined if the refresh token was replaced already, so that the login was just confirmed
   */
  async #confirm(shown: SubmittedTokens): Promise<IssuerAnswer | undefined> {
    const { session, state } = this.#sessionOf(shown, this.#dependencies.clock.now());
    const { id, login } = session;
    if (login === undefined || state !== 'present') return undefined;
    const issuer = this.#dependencies.issuer();
    if (issuer === undefined) return { kind: 'ended', reason: 'the setting oidc was removed' };
    const token = unsealToken(login.sealed, shown.refreshSecret, id);
    if (token === undefined) return { kind: 'ended', reason: 'the stored login is damaged' };
    const answer = await issuer.confirm(login, token);
    this.#logOutage(answer);
    return answer;
  }

  #logOutage(answer: IssuerAnswer): void {
    const isAway = answer.kind === 'away';
    if (isAway && !this.#isIssuerAway) {
      this.#dependencies.log.warn(
        { reason: answer.reason },
        'the identity provider does not confirm logins: sessions continue with their last known groups',
      );
    }
    this.#isIssuerAway = isAway;
  }

  /**
   * Returns the login of a session after the answer of the identity provider, and saves the current groups of the user.
   *
   * @param secret the next refresh secret of the session
   */
  #renewLogin(
    transaction: Transaction,
    session: Session,
    secret: string,
    answer: IssuerAnswer | undefined,
  ): IssuerLogin | 'ended' {
    const { nowMs } = transaction;
    const { id, username, login } = session;
    if (login === undefined || answer === undefined) throw invalidTokenError();
    const refusal = renewalRefusal({ ...login, username }, login.confirmedMs, answer, nowMs);
    if (refusal !== undefined || answer.kind === 'ended') {
      transaction.remove(SESSIONS, transaction.registry.credentials, id);
      recordAudit(transaction, backendActor(refusal ?? 'the login has ended'), {
        action: 'user.log-out',
        target: username,
      });
      return 'ended';
    }
    if (answer.kind === 'confirmed') saveGroups(transaction, username, answer.identity.groups);
    return {
      ...login,
      sealed: sealToken(answer.refreshToken, secret, id),
      confirmedMs: answer.kind === 'confirmed' ? nowMs : login.confirmedMs,
      validUntilMs: nowMs + CONFIRMED_MS,
    };
  }

  async #tokensOf(access: TokenId, username: string, refreshToken: string, expiresMs: number): Promise<Tokens> {
    const subject: TokenSubject = { username, groups: this.#dependencies.groupsOf(username) };
    return { accessToken: await this.#tokens.sign(access, subject, expiresMs), refreshToken, expiresMs };
  }

  /**
   * Removes sessions of a user who has the maximum number: all invalid sessions, or, if none is invalid, the session
   * that was idle for longest.
   */
  #evictSessions(transaction: Transaction, username: string): void {
    const max = this.#dependencies.sessionsOfUserMax ?? SESSIONS_OF_USER_MAX;
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
  async #parseSubmittedTokens(accessToken: string, refreshToken: string): Promise<SubmittedTokens> {
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
    const session = this.#dependencies.registry.credentials.sessions.get(id);
    if (session === undefined || !this.isValid(session)) throw invalidTokenError();
    return { session, state: stateOfRefreshToken(session, refreshSecret, nowMs) };
  }

  #endReused(transaction: Transaction, { id, username }: Session): 'ended' {
    transaction.remove(SESSIONS, transaction.registry.credentials, id);
    recordAudit(transaction, backendActor('a refresh token was used twice'), {
      action: 'user.log-out',
      target: username,
    });
    this.#dependencies.log.warn({}, 'refresh token was used twice and may be stolen: the session was terminated');
    return 'ended';
  }

  async #sweep(): Promise<void> {
    const { sessions } = this.#dependencies.registry.credentials;
    for (const id of this.#uses.keys()) if (!sessions.has(id)) this.#uses.delete(id);
    const isOver = (session: Session): boolean => !this.isValid(session);
    const over = [...sessions.values()].filter(isOver);
    if (over.length === 0 || !this.#dependencies.batcher.isLeading) return;
    await this.#dependencies.batcher.run((transaction) => {
      for (const { id } of over) {
        // The session may have been refreshed since it was found to be expired.
        const session = transaction.registry.credentials.sessions.get(id);
        if (session !== undefined && isOver(session))
          transaction.remove(SESSIONS, transaction.registry.credentials, id);
      }
    });
  }
}

/** Saves the groups that the identity provider sent, if they differ from the stored groups of the user. */
function saveGroups(transaction: Transaction, username: string, groups: readonly string[]): void {
  const user = transaction.registry.credentials.users.get(username);
  if (user === undefined || isDeepStrictEqual(user.groups.toSorted(), groups.toSorted())) return;
  saveUser(transaction, { ...user, groups });
  recordAudit(transaction, backendActor('the identity provider changed the groups of the user'), {
    action: 'user.change',
    target: username,
    before: { groups: user.groups },
    after: { groups },
  });
}

function invalidTokenError(): MonError {
  return new MonError('unauthenticated', 'the refresh token is invalid or expired: log in again');
}
