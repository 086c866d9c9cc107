import type { WebSocket } from 'ws';
import { MonError } from '../../../shared/errors.ts';
import type { Scope } from '../../../shared/schemas/scope.ts';
import { hasScope, type Principal } from '../access/principal.ts';
import type { Admission } from '../access/admission.ts';
import type { Clock } from '../ports.ts';
import type { CommitBoard } from '../model/transaction/commit-board.ts';

/**
 * Maximum number of open sockets per API key or user, by the scope that the sockets require. Many agents or several
 * consoles can share one key.
 */
const SOCKETS_OF_OWNER_MAX: Readonly<Partial<Record<Scope, number>>> = { read: 200, submit: 20_000 };

/** Time in milliseconds that a peer has to complete the closing handshake; after it the connection is cut off. */
const GOODBYE_MS = 1000;

/** Interval in milliseconds at which the credentials of open sockets are checked for expiry. */
const EXPIRY_CHECK_MS = 1000;

/** WebSocket close code for a policy violation, sent when the credentials of a socket are no longer valid. */
const POLICY_VIOLATION = 1008;
const REVOKED_MESSAGE = 'the credentials are no longer valid: authenticate again';

interface SocketDependencies {
  readonly clock: Clock;
  /** Returns the principal with its current rights, or undefined if its credentials are no longer valid. */
  readonly renewPrincipal: (principal: Principal) => Principal | undefined;
  /** Returns a version text that is different after every change that can revoke a right. */
  readonly version: () => string;
  readonly commits: Pick<CommitBoard, 'onIdle'>;
}

interface LiveSocket {
  /**
   * The principal as of the last check. It is replaced because the expiry of its credentials can change while the
   * socket is open.
   */
  principal: Principal;
  readonly access: Scope;
  readonly isAllowed: (renewed: Principal) => boolean;
}

/** The open WebSockets and their owners. A socket is closed when the credentials that opened it become invalid. */
export class LiveSockets implements Disposable {
  readonly #dependencies: SocketDependencies;
  readonly #sockets = new Map<WebSocket, LiveSocket>();
  readonly #countOfOwner = new Map<string, number>();
  readonly #watches: readonly Disposable[];
  #version: string;

  constructor(dependencies: SocketDependencies) {
    this.#dependencies = dependencies;
    this.#version = dependencies.version();
    this.#watches = [
      dependencies.clock.every(EXPIRY_CHECK_MS, () => {
        this.#checkAfterChange();
        this.#closeInvalidSockets(({ principal }) => canExpire(principal));
      }),
      dependencies.commits.onIdle(() => this.#checkAfterChange()),
    ];
  }

  /** @throws MonError `unavailable` if the owner of the credentials already has the maximum number of open sockets */
  refuseTooMany(principal: Principal, access: Scope): void {
    const own = this.#countOfOwner.get(ownerOf(principal, access)) ?? 0;
    // Without credentials the owner of a socket is unknown, so this limit does not apply.
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
   * @param access scope that the principal must have as long as the socket is open
   * @param isAllowed callback that returns true if the principal is allowed to keep the socket; by default, if it has
   *   the scope `access`
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
   * Returns a function that throws `unauthenticated` if the credentials of the socket are no longer valid. The function
   * can also be called after the socket has closed.
   */
  admissionOf(socket: WebSocket): Admission {
    const live = this.#sockets.get(socket);
    if (live === undefined) throw new Error('internal error: the WebSocket connection was not registered');
    let checkedVersion: string | undefined;
    return () => {
      const version = this.#dependencies.version();
      if (version === checkedVersion && !canExpire(live.principal)) return;
      if (!this.#isStillValid(live)) throw new MonError('unauthenticated', REVOKED_MESSAGE);
      checkedVersion = version;
    };
  }

  /** Closes all sockets that require the scope `access`, even if their credentials are valid. */
  endAll(access: Scope, code: number, reason: string): void {
    for (const [socket, live] of this.#sockets) if (live.access === access) this.#end(socket, code, reason);
  }

  [Symbol.dispose](): void {
    for (const watch of this.#watches) watch[Symbol.dispose]();
  }

  #checkAfterChange(): void {
    const version = this.#dependencies.version();
    if (this.#version === version) return;
    this.#version = version;
    this.#closeInvalidSockets(() => true);
  }

  #closeInvalidSockets(concerns: (socket: LiveSocket) => boolean): void {
    for (const [socket, live] of this.#sockets) {
      if (socket.readyState === socket.OPEN && concerns(live) && !this.#isStillValid(live)) {
        this.#end(socket, POLICY_VIOLATION, REVOKED_MESSAGE);
      }
    }
  }

  #isStillValid(live: LiveSocket): boolean {
    const { principal, isAllowed } = live;
    const renewed = this.#dependencies.renewPrincipal(principal);
    if (renewed === undefined) return false;
    live.principal = renewed;
    return renewed.namespace === principal.namespace && isAllowed(renewed);
  }

  #end(socket: WebSocket, code: number, reason: string): void {
    socket.close(code, reason);
    // A paused socket must be read again, because the peer's close frame arrives after data that was not read yet.
    if (socket.isPaused) socket.resume();
    const impatience = this.#dependencies.clock.after(GOODBYE_MS, () => socket.terminate());
    socket.once('close', () => impatience[Symbol.dispose]());
  }
}

function canExpire({ expiresMs, certificateExpiresMs }: Principal): boolean {
  return expiresMs !== undefined || certificateExpiresMs !== undefined;
}

function ownerOf({ keyId, name }: Principal, access: Scope): string {
  return keyId === undefined ? `${access} user ${name}` : `${access} key ${keyId}`;
}
