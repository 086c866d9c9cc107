import { once } from 'node:events';
import { connect, type Socket, type TcpNetConnectOpts } from 'node:net';
import type { StreamAddress } from '../../../../shared/schemas/stream-address.ts';
import type { Clock } from '../../ports.ts';
import { lookupOf, type TargetAddresses } from './addresses.ts';
import { DELIVERED, type DeliveryOutcome } from './outcome.ts';
import { withinLimit } from './within-limit.ts';

/** Default time limit in seconds to look up the host, connect and send all data (completion 1.8). */
const TIMEOUT_DEFAULT = 10;

/** Time in which a receiver should close the connection after all data is sent; then the connection is destroyed. */
const LINGER_MS = 1000;

interface TcpSend {
  readonly data: string;
  readonly to: StreamAddress;
  /** Time limit in seconds to connect and send all data; default: 10. */
  readonly timeout?: number | undefined;
}

export interface NetworkDeps {
  readonly addresses: TargetAddresses;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Called with each response of a webhook receiver or mail server, as one line of text. */
  readonly onAnswer?: ((answer: string) => void) | undefined;
}

/**
 * Sends the data over a new TCP connection and ends the connection. Without data it opens none (completion 1.8). The
 * outcome `delivered` only means that the operating system of this machine accepted all data: the receiver does not
 * acknowledge it.
 */
export async function sendTcp(
  { data, to, timeout = TIMEOUT_DEFAULT }: TcpSend,
  { addresses, clock, signal }: NetworkDeps,
): Promise<DeliveryOutcome> {
  if (data === '') return DELIVERED;
  return await withinLimit({ clock, seconds: timeout, signal }, async (limit) => {
    const socket = connect({ ...(await connectTo(to, addresses, limit)), signal: limit });
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
    letGo(socket, clock);
    return DELIVERED;
  });
}

async function connectTo(
  to: StreamAddress,
  addresses: TargetAddresses,
  signal: AbortSignal,
): Promise<{ path: string } | TcpNetConnectOpts> {
  if ('path' in to) return { path: to.path };
  const checked = await addresses.written(to.host, 'own-network', signal);
  return { host: to.host, port: to.port, lookup: lookupOf(checked) };
}

/**
 * Lets the receiver close the connection, and destroys it if that takes too long. Destroying it at once could reset the
 * connection, and the receiver would lose data that it has not read yet.
 */
function letGo(socket: Socket, clock: Clock): void {
  if (socket.closed) return;
  const end = clock.after(LINGER_MS, () => socket.destroy());
  socket.on('close', () => end[Symbol.dispose]());
  // Data from the receiver is discarded: unread data would prevent the end of the connection.
  socket.resume();
}
