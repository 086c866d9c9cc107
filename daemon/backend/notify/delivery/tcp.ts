import { once } from 'node:events';
import { connect, type Socket, type TcpNetConnectOpts } from 'node:net';
import type { StreamAddress } from '../../../../shared/schemas/stream-address.ts';
import type { Clock } from '../../ports.ts';
import { lookupOf, type TargetAddresses } from './addresses.ts';
import { DELIVERED, type DeliveryOutcome } from './outcome.ts';
import { withinLimit } from './within-limit.ts';

/** Seconds to connect and to send everything (completion 1.8). */
const TIMEOUT_DEFAULT = 10;

/** Time for a receiver to close the connection after everything is sent. */
const LINGER_MS = 1000;

interface TcpSend {
  readonly data: string;
  readonly to: StreamAddress;
  /** Seconds. */
  readonly timeout?: number | undefined;
}

export interface NetworkDeps {
  readonly addresses: TargetAddresses;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Called with the response of the receiver, as one line of text. */
  readonly onAnswer?: ((answer: string) => void) | undefined;
}

/**
 * Sends everything on a connection of its own, and ends it. Without data it opens no connection (completion 1.8).
 * Delivered means that the operating system of the receiver accepted it; the protocol has no acknowledgment.
 */
export async function sendTcp(
  { data, to, timeout = TIMEOUT_DEFAULT }: TcpSend,
  { addresses, clock, signal }: NetworkDeps,
): Promise<DeliveryOutcome> {
  if (data === '') return DELIVERED;
  return await withinLimit({ clock, seconds: timeout, signal }, async (limit) => {
    const socket = connect({ ...(await connectTo(to, addresses, limit)), signal: limit });
    // Without a listener the process would exit. The error reaches `once`.
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

/** Closes the connection gracefully. Closing at once could reset it and lose what the receiver has not read yet. */
function letGo(socket: Socket, clock: Clock): void {
  if (socket.closed) return;
  const end = clock.after(LINGER_MS, () => socket.destroy());
  socket.on('close', () => end[Symbol.dispose]());
  // Discard any response.
  socket.resume();
}
