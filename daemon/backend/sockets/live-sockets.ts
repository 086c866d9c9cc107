import type { WebSocket } from 'ws';
import { MonError } from '../../../shared/errors.ts';
import type { Scope } from '../../../shared/schemas/scope.ts';
import { hasScope, type Principal } from '../access/principal.ts';
import type { Admission } from '../access/admission.ts';
import type { Clock } from '../ports.ts';
import type { CommitBoard } from '../commit/commit-board.ts';

/**
 * Open sockets of one key or user, by what they are for: the agents of a fleet may share one, and so may some consoles.
 */
const SOCKETS_OF_OWNER_MAX: Readonly<Partial<Record<Scope, number>>> = { read: 200, submit: 20_000 };

/** How long the peer of a socket that is ended may take to say goodbye. */
const GOODBYE_MS = 1000;

/** How soon credentials that expire end what was opened with them. */
const LOOK_MS = 1000;

/** Close code of the WebSocket protocol: against the rules, which the credentials now are. */
const POLICY_VIOLATION = 1008;
const REVOKED = 'the credentials are no longer valid: authenticate again';

interface SocketParts {
  readonly clock: Clock;
  /** Returns the principal with the rights of now; undefined if the credentials do not count any more. */
  readonly renewed: (principal: Principal) => Principal | undefined;
  /** Another one after every change that may take something away from somebody. */
  readonly version: () => string;
  readonly commits: Pick<CommitBoard, 'onRest'>;
}

interface LiveSocket {
  /**
   * The principal as of the last look: the time at which credentials expire may have changed since the socket was
   * opened.
   */
  principal: Principal;
  readonly access: Scope;
  readonly isAllowed: (renewed: Principal) => boolean;
}

/** Open sockets and whose they are: each ends with the credentials that it was opened with. */
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
      parts.commits.onRest(() => this.#lookAfterChange()),
    ];
  }

  /** @throws MonError `unavailable` before the handshake, when there is no room for another one */
  refuseTooMany(principal: Principal, access: Scope): void {
    const own = this.#countOfOwner.get(ownerOf(principal, access)) ?? 0;
    // Where nobody shows credentials there is no telling whose they are: then only connections are counted.
    const isAnybody = principal.via === 'open' || principal.via === 'local';
    const ownMax = isAnybody ? Infinity : (SOCKETS_OF_OWNER_MAX[access] ?? Infinity);
    if (own < ownMax) return;
    throw new MonError('unavailable', 'there are too many connections: close some, or try again later');
  }

  /**
   * @param access what it must be allowed to do for as long as it lasts
   * @param isAllowed whether somebody may do that; default: who has the scope
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

  /** Whether what comes through an open socket may still be done, also once the socket is closed. */
  admissionOf(socket: WebSocket): Admission {
    const live = this.#sockets.get(socket);
    if (live === undefined) throw new Error('the socket was not added');
    let known: string | undefined;
    return () => {
      const version = this.#parts.version();
      if (version === known && !canExpire(live.principal)) return;
      if (!this.#counts(live)) throw new MonError('unauthenticated', REVOKED);
      known = version;
    };
  }

  /** Ends those that are for something, whatever their credentials. */
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
    // Its goodbye is behind what was not read yet.
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
