import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { errorMessage, MonError } from '../../../shared/errors.ts';
import type { Log } from '../../log/log.ts';
import type { Clock } from '../ports.ts';
import type { Session } from '../registry/credentials.ts';
import type { Registry } from '../registry/registry.ts';
import type { Batcher } from './batcher.ts';
import { newSecret } from './key-secret.ts';

/** As at the peer: short for what each request carries, long for what is shown once in a while. */
const ACCESS_MS = 15 * 60_000;
const REFRESH_MS = 12 * 3_600_000;
const SWEEP_MS = 60_000;

/** Log-ins of one user that are kept; the oldest goes for a new one. */
const SESSIONS_OF_USER_MAX = 100;
/** Access tokens of a session that count at once: requests under way may still carry the ones before. */
const ACCESS_TOKENS_MAX = 4;

const ID_BYTES = 8;
/** `ma_<session>_<secret>` for access, `mr_` for refresh. */
const TOKEN = /^m(?<kind>[ar])_(?<id>[\da-f]{16})_(?<secret>[\w-]{43})$/;

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
}

/**
 * Log-ins for tokens. These say nothing by themselves and are stored as hashes, so a restart logs nobody out and a log-out
 * counts at once.
 */
export class Sessions implements Disposable {
  readonly #parts: SessionParts;
  readonly #timer: Disposable;

  constructor(parts: SessionParts) {
    this.#parts = parts;
    this.#timer = parts.clock.every(SWEEP_MS, () => {
      this.#sweep().catch((error: unknown) => {
        parts.log.warn({ reason: errorMessage(error) }, 'log-ins that ended were not removed');
      });
    });
  }

  /** Begins a log-in of a user whose password was right. */
  open(username: string): Promise<Tokens> {
    const id = randomBytes(ID_BYTES).toString('hex');
    const access = newSecret();
    const refresh = newSecret();
    return this.#parts.batcher.run((transaction) => {
      const { nowMs, registry } = transaction;
      const [oldest, ...others] = registry.credentials
        .sessionsOf(username)
        .toSorted((a, b) => a.expiresMs - b.expiresMs);
      if (oldest !== undefined && others.length + 1 >= SESSIONS_OF_USER_MAX) transaction.removeSession(oldest.id);
      const session: Session = {
        id,
        username,
        startedMs: nowMs,
        refreshHash: digest(refresh),
        expiresMs: nowMs + REFRESH_MS,
        access: [{ hash: digest(access), expiresMs: nowMs + ACCESS_MS }],
      };
      transaction.saveSession(session);
      return tokensOf(id, access, refresh, nowMs);
    });
  }

  /**
   * Gives the next access token; the refresh token stays good.
   *
   * @param accessToken of the same log-in, also one that is over
   * @throws MonError `unauthenticated`
   */
  refresh(accessToken: string, refreshToken: string): Promise<Tokens> {
    const access = newSecret();
    return this.#parts.batcher.run((transaction) => {
      const { nowMs } = transaction;
      const session = this.#ownerOf(accessToken, refreshToken, nowMs);
      transaction.saveSession({
        ...session,
        expiresMs: nowMs + REFRESH_MS,
        access: [
          ...session.access.slice(1 - ACCESS_TOKENS_MAX),
          { hash: digest(access), expiresMs: nowMs + ACCESS_MS },
        ],
      });
      return tokensOf(session.id, access, secretOf(refreshToken), nowMs);
    });
  }

  /** @throws MonError `unauthenticated` */
  close(accessToken: string, refreshToken: string): Promise<void> {
    return this.#parts.batcher.run((transaction) => {
      transaction.removeSession(this.#ownerOf(accessToken, refreshToken, transaction.nowMs).id);
    });
  }

  /** Whose log-in an access token is; undefined: nobody's by now. */
  find(accessToken: string): Session | undefined {
    const groups = TOKEN.exec(accessToken)?.groups;
    if (groups?.['kind'] !== 'a') return undefined;
    const session = this.#parts.registry.credentials.sessions.get(groups['id'] ?? '');
    const given = digest(groups['secret'] ?? '');
    const now = this.#parts.clock.now();
    return session?.access.some((token) => token.expiresMs > now && isSame(token.hash, given)) ? session : undefined;
  }

  [Symbol.dispose](): void {
    this.#timer[Symbol.dispose]();
  }

  #ownerOf(accessToken: string, refreshToken: string, nowMs: number): Session {
    const access = TOKEN.exec(accessToken)?.groups;
    const refresh = TOKEN.exec(refreshToken)?.groups;
    const session = this.#parts.registry.credentials.sessions.get(refresh?.['id'] ?? '');
    const isOwner =
      session !== undefined &&
      refresh?.['kind'] === 'r' &&
      access?.['kind'] === 'a' &&
      access['id'] === session.id &&
      session.expiresMs > nowMs &&
      isSame(session.refreshHash, digest(refresh['secret'] ?? '')) &&
      session.access.some(({ hash: known }) => isSame(known, digest(access['secret'] ?? '')));
    if (isOwner) return session;
    throw new MonError('unauthenticated', 'the refresh token is wrong or over: log in again');
  }

  async #sweep(): Promise<void> {
    const isOver = ({ expiresMs }: Session): boolean => expiresMs <= this.#parts.clock.now();
    const over = [...this.#parts.registry.credentials.sessions.values()].filter(isOver);
    if (over.length === 0) return;
    await this.#parts.batcher.run((transaction) => {
      for (const { id } of over) {
        // It may have been refreshed meanwhile.
        const session = transaction.registry.credentials.sessions.get(id);
        if (session !== undefined && isOver(session)) transaction.removeSession(id);
      }
    });
  }
}

function tokensOf(id: string, access: string, refresh: string, nowMs: number): Tokens {
  return { accessToken: `ma_${id}_${access}`, refreshToken: `mr_${id}_${refresh}`, expiresMs: nowMs + ACCESS_MS };
}

function secretOf(token: string): string {
  return TOKEN.exec(token)?.groups?.['secret'] ?? '';
}

function digest(secret: string): string {
  return hash('sha256', secret, 'base64url');
}

function isSame(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
}
