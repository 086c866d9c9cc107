import type { WebSocket } from 'ws';
import { MonError } from '../../../shared/errors.ts';
import { parseJsonStripped } from '../../../shared/domain/json.ts';
import { feedLoginSchema } from '../../../shared/schemas/feed-request.ts';
import type { Principal } from '../access/principal.ts';
import type { Clock } from '../ports.ts';

/** Time in milliseconds within which a consumer must authenticate (security S4). */
const LOGIN_MS = 5000;
/**
 * Maximum number of open connections that have not authenticated yet, shared evenly among the networks from which they
 * come.
 */
const PENDING_MAX = 100;

const POLICY_VIOLATION = 1008;
const TRY_AGAIN_LATER = 1013;

interface LoginDependencies {
  /** The network of the consumer, as `networkOf` returns it. */
  readonly network: string;
  readonly clock: Clock;
  /**
   * Authenticates an API key and checks its access to the feed.
   *
   * @throws MonError if the access is refused; a promise rejects with the same error
   */
  readonly admit: (key: string) => Promise<Principal> | Principal;
  readonly accept: (socket: WebSocket, principal: Principal) => void;
}

/** A connection whose consumer has not authenticated yet. */
interface PendingLogin {
  readonly network: string;
  readonly giveUp: () => void;
}

/**
 * Authenticates consumers that cannot send a header with their handshake, such as web pages. They send their API key as
 * the first message.
 */
export class FeedLogins {
  readonly #pending = new Set<PendingLogin>();

  wait(socket: WebSocket, { network, clock, admit, accept }: LoginDependencies): void {
    if (this.#pending.size >= PENDING_MAX && !this.#evictFor(network)) {
      closeAsTooMany(socket);
      return;
    }
    const timer = clock.after(LOGIN_MS, () =>
      rejectConsumer(
        socket,
        new MonError('unauthenticated', 'no credentials received: send {"type":"authenticate","key":...} first'),
      ),
    );
    const endWait = (): void => {
      this.#pending.delete(pending);
      timer[Symbol.dispose]();
      socket.off('message', receive);
      socket.off('close', endWait);
    };
    const giveUp = (): void => {
      endWait();
      closeAsTooMany(socket);
    };
    const pending: PendingLogin = { network, giveUp };
    this.#pending.add(pending);
    const receive = (data: unknown): void => {
      endWait();
      try {
        const admitted = admit(apiKeyInMessage(data));
        // If `admit` is synchronous, so is `accept`: otherwise messages that follow the key at once would be lost.
        if (!(admitted instanceof Promise)) accept(socket, admitted);
        else
          admitted
            .then((principal) => accept(socket, principal))
            .catch((error: unknown) => rejectConsumer(socket, error));
      } catch (error) {
        rejectConsumer(socket, error);
      }
    };
    socket.on('message', receive);
    socket.on('close', endWait);
    // Errors are ignored, because a failed socket also emits `close`.
    socket.on('error', () => undefined);
  }

  /**
   * Closes the oldest pending connection of the network with the most pending connections. It does so only if that
   * network has more of them than `network` would have with one more.
   *
   * @returns true if a connection was closed
   */
  #evictFor(network: string): boolean {
    const counts = new Map<string, number>();
    for (const pending of this.#pending) counts.set(pending.network, (counts.get(pending.network) ?? 0) + 1);
    const most = Math.max(...counts.values());
    if ((counts.get(network) ?? 0) + 1 >= most) return false;
    for (const pending of this.#pending) {
      if (counts.get(pending.network) !== most) continue;
      pending.giveUp();
      return true;
    }
    return false;
  }
}

function closeAsTooMany(socket: WebSocket): void {
  socket.close(TRY_AGAIN_LATER, 'too many consumers are not logged in yet');
}

/** Returns the API key in the first message of a consumer. @throws MonError `unauthenticated` if there is none */
function apiKeyInMessage(data: unknown): string {
  const message = feedLoginSchema.safeParse(jsonOf(data));
  if (message.success) return message.data.key;
  throw new MonError(
    'unauthenticated',
    'credentials are missing: send credentials in the handshake, or {"type":"authenticate","key":"mk_..."} as the first message',
  );
}

function jsonOf(data: unknown): unknown {
  try {
    return Buffer.isBuffer(data) ? parseJsonStripped(data.toString()) : undefined;
  } catch {
    return undefined;
  }
}

function rejectConsumer(socket: WebSocket, error: unknown): void {
  const [code, message] = error instanceof MonError ? [error.code, error.message] : ['internal', 'internal error'];
  if (socket.readyState === socket.OPEN) socket.send(JSON.stringify({ type: 'error', code, message }));
  socket.close(POLICY_VIOLATION, code);
}
