import type { WebSocket } from 'ws';
import { MonError } from '../../../shared/errors.ts';
import type { Scope } from '../../../shared/schemas/scope.ts';
import { hasScope, type Principal } from '../access/principal.ts';
import type { Admission } from '../access/admission.ts';
import type { Clock } from '../ports.ts';
import type { CommitBoard } from '../model/transaction/commit-board.ts';

/**
 * The maximum number of open sockets of one key or user, by scope. Many agents may share one key, and so may some
 * consoles.
 */
const SOCKETS_OF_OWNER_MAX: Readonly<Partial<Record<Scope, number>>> = { read: 200, submit: 20_000 };

/** The time for a peer to complete the closing handshake. */
const GOODBYE_MS = 1000;

/** The interval at which the expiry of credentials is checked. */
const LOOK_MS = 1000;

/** The close code of the WebSocket protocol for a violation of rules; here the credentials are no longer valid. */
const POLICY_VIOLATION = 1008;
const REVOKED = 'the credentials are no longer valid: authenticate again';

interface SocketParts {
  readonly clock: Clock;
  /** Returns the principal with its current rights; undefined if the credentials are no longer valid. */
  readonly renewed: (principal: Principal) => Principal | undefined;
  /** Returns a version that changes with every change that may revoke a right. */
  readonly version: () => string;
  readonly commits: Pick<CommitBoard, 'onIdle'>;
}

interface LiveSocket {
  /** The principal at the last check: the expiry of credentials may have changed since the socket was opened. */
  principal: Principal;
  readonly access: Scope;
  readonly isAllowed: (renewed: Principal) => boolean;
}

/** The open sockets and their owners. Each socket is closed when the credentials that opened it become invalid. */
export class LiveSockets implements Disposable {
  readonly #parts: SocketParts;
  readonly #sockets = new Map<WebSocket, LiveSocket>();
  readonly #countOfOwner = new Map<string, number>();
  readonly #watches: readonly Disposable[];
  #version: string;

  constructor(parts: SocketParts) {
    this.#parts = parts;
    this.#version = parts.version();
    this.#watches = [
      parts.clock.every(LOOK_MS, () => {
        this.#lookAfterChange();
        this.#look(({ principal }) => canExpire(principal));
      }),
      parts.commits.onIdle(() => this.#lookAfterChange()),
    ];
  }

  /** @throws MonError `unavailable` before the handshake if no further socket is allowed */
  refuseTooMany(principal: Principal, access: Scope): void {
    const own = this.#countOfOwner.get(ownerOf(principal, access)) ?? 0;
    // Without credentials the owner is unknown: then only connections are counted.
    const isAnybody = principal.via === 'open' || principal.via === 'local';
    const ownMax = isAnybody ? Infinity : (SOCKETS_OF_OWNER_MAX[access] ?? Infinity);
    if (own < ownMax) return;
    throw new MonError(
      'unavailable',
      'these credentials have too many open connections: close some, or try again later',
    );
  }

  /**
   * Adds an open socket.
   *
   * @param access the scope that the principal must have as long as the socket is open
   * @param isAllowed true if a principal may keep the socket; default: it has the scope
   */
  add(
    socket: WebSocket,
    principal: Principal,
    access: Scope,
    isAllowed: LiveSocket['isAllowed'] = (renewed) => hasScope(renewed, access),
  ): void {
    const owner = ownerOf(principal, access);
    this.#sockets.set(socket, { principal, access, isAllowed });
    this.#countOfOwner.set(owner, (this.#countOfOwner.get(owner) ?? 0) + 1);
    socket.once('close', () => {
      this.#sockets.delete(socket);
      const left = (this.#countOfOwner.get(owner) ?? 1) - 1;
      if (left === 0) this.#countOfOwner.delete(owner);
      else this.#countOfOwner.set(owner, left);
    });
  }

  /**
   * Returns a check that throws if the credentials of the socket are no longer valid. It also works after the socket
   * has closed.
   */
  admissionOf(socket: WebSocket): Admission {
    const live = this.#sockets.get(socket);
    if (live === undefined) throw new Error('internal error: the WebSocket connection was not registered');
    let checkedVersion: string | undefined;
    return () => {
      const version = this.#parts.version();
      if (version === checkedVersion && !canExpire(live.principal)) return;
      if (!this.#counts(live)) throw new MonError('unauthenticated', REVOKED);
      checkedVersion = version;
    };
  }

  /** Closes all sockets of a scope, whatever their credentials. */
  endAll(access: Scope, code: number, reason: string): void {
    for (const [socket, live] of this.#sockets) if (live.access === access) this.#end(socket, code, reason);
  }

  [Symbol.dispose](): void {
    for (const watch of this.#watches) watch[Symbol.dispose]();
  }

  #lookAfterChange(): void {
    const version = this.#parts.version();
    if (this.#version === version) return;
    this.#version = version;
    this.#look(() => true);
  }

  #look(concerns: (socket: LiveSocket) => boolean): void {
    for (const [socket, live] of this.#sockets) {
      if (socket.readyState === socket.OPEN && concerns(live) && !this.#counts(live)) {
        this.#end(socket, POLICY_VIOLATION, REVOKED);
      }
    }
  }

  #counts(live: LiveSocket): boolean {
    const { principal, isAllowed } = live;
    const renewed = this.#parts.renewed(principal);
    if (renewed === undefined) return false;
    live.principal = renewed;
    return renewed.namespace === principal.namespace && isAllowed(renewed);
  }

  #end(socket: WebSocket, code: number, reason: string): void {
    socket.close(code, reason);
    // The close frame of the peer follows data that was not read yet.
    if (socket.isPaused) socket.resume();
    const impatience = this.#parts.clock.after(GOODBYE_MS, () => socket.terminate());
    socket.once('close', () => impatience[Symbol.dispose]());
  }
}

function canExpire({ expiresMs, certificateExpiresMs }: Principal): boolean {
  return expiresMs !== undefined || certificateExpiresMs !== undefined;
}

function ownerOf({ keyId, name }: Principal, access: Scope): string {
  return keyId === undefined ? `${access} user ${name}` : `${access} key ${keyId}`;
}
