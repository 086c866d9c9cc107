import { hash, timingSafeEqual } from 'node:crypto';
import { errorMessage, MonError } from '../../../shared/errors.ts';
import type { Log } from '../../log/log.ts';
import type { Clock } from '../ports.ts';
import type { Session } from './credentials.ts';
import type { Registry } from '../registry/registry.ts';
import { AccessTokens, newSessionId, newTokenId, type TokenId, type TokenSubject } from './access-tokens.ts';
import type { Batcher } from '../commit/batcher.ts';
import { newSecret } from './key-secret.ts';
import type { Transaction } from '../commit/transaction.ts';
import { SESSIONS } from './table.ts';

/** Short for what each request carries, long for what is shown once in a while. */
const ACCESS_MS = 15 * 60_000;
const REFRESH_MS = 12 * 3_600_000;
const SWEEP_MS = 60_000;

/** Log-ins of one user that are kept: there are clients that log in for every single thing they do. */
const SESSIONS_OF_USER_MAX = 10_000;
/** Access tokens of a session that count at once: requests under way may still carry the ones before. */
const ACCESS_TOKENS_MAX = 4;

/** `mr_<session>_<secret>` */
const REFRESH_TOKEN = /^mr_(?<session>[\da-f]{16})_(?<secret>[\w-]{43})$/;

/** What somebody gets who logs in. */
export interface Tokens {
  readonly accessToken: string;
  readonly refreshToken: string;
  /** Of the access token, epoch milliseconds. */
  readonly expiresMs: number;
}

interface SessionParts {
  readonly batcher: Batcher;
  readonly registry: Registry;
  readonly clock: Clock;
  readonly log: Log;
  /** The groups that the token of a user tells. */
  readonly groupsOf: (username: string) => readonly string[];
  /** Default: as many as there can be. */
  readonly sessionsOfUserMax?: number;
}

/** Log-ins for tokens. Their secrets are stored as hashes, so a restart logs nobody out and a log-out counts at once. */
export class Sessions implements Disposable {
  readonly #parts: SessionParts;
  readonly #tokens: AccessTokens;
  readonly #timer: Disposable;
  /** When the access tokens of each were last shown, epoch milliseconds; a restart forgets it. */
  readonly #uses = new Map<string, number>();

  constructor(parts: SessionParts) {
    this.#parts = parts;
    this.#tokens = new AccessTokens(parts.registry);
    this.#timer = parts.clock.every(SWEEP_MS, () => {
      this.#sweep().catch((error: unknown) => {
        parts.log.warn({ reason: errorMessage(error) }, 'log-ins that ended were not removed');
      });
    });
  }

  /** Begins a log-in of a user whose password was right. */
  async open(username: string): Promise<Tokens> {
    const access = newTokenId(newSessionId());
    const refresh = newSecret();
    const expiresMs = await this.#parts.batcher.run((transaction) => {
      const { nowMs } = transaction;
      AccessTokens.prepare(transaction);
      this.#makeRoom(transaction, username);
      const ends = nowMs + ACCESS_MS;
      transaction.put(SESSIONS, transaction.registry.credentials, access.session, {
        id: access.session,
        username,
        startedMs: nowMs,
        refreshHash: digest(refresh),
        expiresMs: nowMs + REFRESH_MS,
        access: [{ hash: digest(access.secret), expiresMs: ends }],
      });
      return ends;
    });
    return this.#tokensOf(access, username, `mr_${access.session}_${refresh}`, expiresMs);
  }

  /**
   * Gives the next access token; the refresh token stays good.
   *
   * @param accessToken of the same log-in, also one that is over
   * @throws MonError `unauthenticated`
   */
  async refresh(accessToken: string, refreshToken: string): Promise<Tokens> {
    const shown = await this.#tokens.read(accessToken);
    const { username, access, expiresMs } = await this.#parts.batcher.run((transaction) => {
      const { nowMs } = transaction;
      const session = this.#ownerOf(shown, refreshToken, nowMs);
      AccessTokens.prepare(transaction);
      const next = newTokenId(session.id);
      const ends = nowMs + ACCESS_MS;
      transaction.put(SESSIONS, transaction.registry.credentials, session.id, {
        ...session,
        expiresMs: nowMs + REFRESH_MS,
        access: [...session.access.slice(1 - ACCESS_TOKENS_MAX), { hash: digest(next.secret), expiresMs: ends }],
      });
      return { username: session.username, access: next, expiresMs: ends };
    });
    return this.#tokensOf(access, username, refreshToken, expiresMs);
  }

  /** @throws MonError `unauthenticated` */
  async close(accessToken: string, refreshToken: string): Promise<void> {
    const shown = await this.#tokens.read(accessToken);
    await this.#parts.batcher.run((transaction) => {
      transaction.remove(
        SESSIONS,
        transaction.registry.credentials,
        this.#ownerOf(shown, refreshToken, transaction.nowMs).id,
      );
    });
  }

  /** Whose log-in an access token is; undefined: nobody's by now. */
  async find(accessToken: string): Promise<Session | undefined> {
    const shown = await this.#tokens.read(accessToken);
    if (shown === undefined) return undefined;
    const session = this.#parts.registry.credentials.sessions.get(shown.session);
    const given = digest(shown.secret);
    const now = this.#parts.clock.now();
    if (session?.access.some((token) => token.expiresMs > now && isSame(token.hash, given)) !== true) return undefined;
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

  /** One more must not be one too many: first goes what is over, then what has been idle for longest. */
  #makeRoom(transaction: Transaction, username: string): void {
    const max = this.#parts.sessionsOfUserMax ?? SESSIONS_OF_USER_MAX;
    const { credentials } = transaction.registry;
    if (credentials.sessions.size < max) return;
    const own = credentials.sessionsOf(username);
    if (own.length < max) return;
    const over = own.filter(({ expiresMs }) => expiresMs <= transaction.nowMs);
    const idle = own.reduce((least, session) => (this.#usedMs(session) < this.#usedMs(least) ? session : least));
    for (const { id } of over.length > 0 ? over : [idle])
      transaction.remove(SESSIONS, transaction.registry.credentials, id);
  }

  #usedMs({ id, expiresMs }: Session): number {
    return Math.max(this.#uses.get(id) ?? 0, expiresMs - REFRESH_MS);
  }

  #ownerOf(access: TokenId | undefined, refreshToken: string, nowMs: number): Session {
    const refresh = REFRESH_TOKEN.exec(refreshToken)?.groups;
    const session = this.#parts.registry.credentials.sessions.get(refresh?.['session'] ?? '');
    const isOwner =
      session !== undefined &&
      access?.session === session.id &&
      session.expiresMs > nowMs &&
      isSame(session.refreshHash, digest(refresh?.['secret'] ?? '')) &&
      session.access.some(({ hash: known }) => isSame(known, digest(access.secret)));
    if (isOwner) return session;
    throw new MonError('unauthenticated', 'the refresh token is wrong or over: log in again');
  }

  async #sweep(): Promise<void> {
    const { sessions } = this.#parts.registry.credentials;
    for (const id of this.#uses.keys()) if (!sessions.has(id)) this.#uses.delete(id);
    const isOver = ({ expiresMs }: Session): boolean => expiresMs <= this.#parts.clock.now();
    const over = [...sessions.values()].filter(isOver);
    if (over.length === 0 || !this.#parts.batcher.isLeading) return;
    await this.#parts.batcher.run((transaction) => {
      for (const { id } of over) {
        // It may have been refreshed meanwhile.
        const session = transaction.registry.credentials.sessions.get(id);
        if (session !== undefined && isOver(session))
          transaction.remove(SESSIONS, transaction.registry.credentials, id);
      }
    });
  }
}

function digest(secret: string): string {
  return hash('sha256', secret, 'base64url');
}

function isSame(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
}
