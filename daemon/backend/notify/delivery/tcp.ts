import { once } from 'node:events';
import { connect, type Socket, type TcpNetConnectOpts } from 'node:net';
import type { StreamAddress } from '../../../../shared/schemas/stream-address.ts';
import type { Clock } from '../../ports.ts';
import { pinnedLookup, type TargetResolver } from './addresses.ts';
import { DELIVERED_OUTCOME, type DeliveryOutcome } from './outcome.ts';
import { runWithTimeLimit } from './time-limit.ts';

/** Default time limit in seconds to look up the host, connect and send all data (completion 1.8). */
const TIMEOUT_SECONDS_DEFAULT = 10;

/**
 * Time in milliseconds that a receiver has to close the connection after all data was sent. After that, the connection
 * is destroyed.
 */
const CLOSE_TIMEOUT_MS = 1000;

interface TcpMessage {
  readonly data: string;
  readonly target: StreamAddress;
  /** Time limit in seconds to connect and send all data; default: 10. */
  readonly timeoutSeconds?: number | undefined;
}

export interface NetworkDependencies {
  readonly targetResolver: TargetResolver;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Called with each response of a webhook receiver or mail server, as one line of text. */
  readonly onResponse?: ((response: string) => void) | undefined;
}

/**
 * Sends the data over a new TCP connection, and then ends the connection. If the data is empty, no connection is opened
 * (completion 1.8). The outcome `delivered` only means that the operating system of this machine accepted all data: the
 * receiver does not acknowledge it.
 */
export async function sendTcp(
  { data, target, timeoutSeconds = TIMEOUT_SECONDS_DEFAULT }: TcpMessage,
  { targetResolver, clock, signal }: NetworkDependencies,
): Promise<DeliveryOutcome> {
  if (data === '') return DELIVERED_OUTCOME;
  return await runWithTimeLimit({ clock, seconds: timeoutSeconds, signal }, async (limitSignal) => {
    const socket = connect({
      ...(await resolveConnectOptions(target, targetResolver, limitSignal)),
      signal: limitSignal,
    });
    // Without an `error` listener, a socket error would end the process. The promises of `once` reject with the error.
    socket.on('error', () => undefined);
    try {
      await once(socket, 'connect');
      socket.end(data);
      await once(socket, 'finish');
    } catch (error) {
      socket.destroy();
      throw error;
    }
    closeGracefully(socket, clock);
    return DELIVERED_OUTCOME;
  });
}

async function resolveConnectOptions(
  target: StreamAddress,
  targetResolver: TargetResolver,
  signal: AbortSignal,
): Promise<{ path: string } | TcpNetConnectOpts> {
  if ('path' in target) return { path: target.path };
  const checkedAddresses = await targetResolver.resolveConfiguredHost(target.host, 'own-network', signal);
  return { host: target.host, port: target.port, lookup: pinnedLookup(checkedAddresses) };
}

/**
 * Lets the receiver close the connection, and destroys the connection if that takes too long. If it were destroyed at
 * once, it could be reset, and the receiver would lose data that it has not read yet.
 */
function closeGracefully(socket: Socket, clock: Clock): void {
  if (socket.closed) return;
  const closeTimer = clock.after(CLOSE_TIMEOUT_MS, () => socket.destroy());
  socket.on('close', () => closeTimer[Symbol.dispose]());
  // Data from the receiver is discarded: unread data would prevent the end of the connection.
  socket.resume();
}
