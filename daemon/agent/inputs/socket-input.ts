import { createSocket, type Socket as DatagramSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, isIPv6, type AddressInfo, type Server, type Socket } from 'node:net';
import { parseJsonWithRawControls } from '../../../shared/domain/raw-control-characters.ts';
import { MonError } from '../../../shared/errors.ts';
import type { Log } from '../../log/log.ts';
import type { Clock } from '../../clock/clock.ts';
import type { AcceptMessage } from './local-result.ts';
import { logRefusal } from './log-refusal.ts';
import { SocketConversation } from './socket-conversation.ts';

/** Maximum number of open connections. */
const CONNECTIONS_MAX = 64;
/** Time for a peer to read its response and close the connection; after it the connection is destroyed. */
const CLOSE_TIMEOUT_MS = 2000;

export interface Address {
  readonly bind: string;
  /** The TCP or UDP port; if it is 0, the system selects a free port. */
  readonly port: number;
}

/** An open input for results of local programs. Disposal stops listening at the address and closes all connections. */
export interface LocalInput extends AsyncDisposable {
  readonly port: number;
}

interface InputDependencies {
  readonly clock: Clock;
  readonly log: Log;
  readonly accept: AcceptMessage;
}

/**
 * Opens the TCP input for results of local programs: one message per connection, which is closed after the response
 * (completion 1.11). Rejects with the error of the system if the address cannot be used.
 */
export async function openTcpInput(
  { bind, port }: Address,
  { clock, log, accept }: InputDependencies,
): Promise<LocalInput> {
  const sockets = new Set<Socket>();
  // With `allowHalfOpen`, a program that closes its side after its message still receives the response.
  const server: Server = createServer({ allowHalfOpen: true }, (socket) => {
    const farewell = new DisposableStack();
    const conversation = new SocketConversation({
      clock,
      log,
      accept,
      finish: (answer) => {
        if (answer === undefined) socket.destroy();
        else socket.end(answer);
        farewell.use(clock.after(CLOSE_TIMEOUT_MS, () => socket.destroy()));
      },
    });
    sockets.add(socket);
    socket.on('data', (piece) => conversation.receive(piece));
    socket.on('end', () => conversation.receiveEnd());
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      sockets.delete(socket);
      conversation[Symbol.dispose]();
      farewell.dispose();
    });
  });
  server.maxConnections = CONNECTIONS_MAX;
  server.listen(port, bind);
  await once(server, 'listening');
  server.on('error', (error) =>
    log.warn({ input: 'tcp', reason: error.message }, 'could not accept a connection from a local program'),
  );
  return {
    port: portOf(server.address()),
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/**
 * Opens the UDP input for results of local programs: one message per datagram, without a response. Rejects with the
 * error of the system if the address cannot be used.
 */
export async function openUdpInput({ bind, port }: Address, { log, accept }: InputDependencies): Promise<LocalInput> {
  const socket: DatagramSocket = createSocket(isIPv6(bind) ? 'udp6' : 'udp4');
  const receive = async (datagram: Buffer): Promise<void> => {
    const text = datagram.toString('utf8');
    // A `ping` is valid, but UDP has no response.
    if (text.trim() === 'ping') return;
    try {
      await accept(parseDatagram(text));
    } catch (error) {
      logRefusal(log, 'udp', error);
    }
  };
  socket.on('message', (datagram) => void receive(datagram));
  socket.bind(port, bind);
  try {
    await once(socket, 'listening');
  } catch (error) {
    socket.close();
    throw error;
  }
  socket.on('error', (error) => log.warn({ input: 'udp', reason: error.message }, 'could not receive a UDP datagram'));
  return {
    port: socket.address().port,
    [Symbol.asyncDispose]: async () => {
      socket.close();
      await once(socket, 'close');
    },
  };
}

function parseDatagram(text: string): unknown {
  try {
    return parseJsonWithRawControls(text);
  } catch (error) {
    throw new MonError('invalid', 'not JSON', { cause: error });
  }
}

function portOf(address: AddressInfo | string | null): number {
  return address === null || typeof address === 'string' ? 0 : address.port;
}

/** True if only programs on this machine can reach an input that is bound to this address. */
export function isLoopbackBind(bind: string): boolean {
  return bind === 'localhost' || bind === '::1' || bind.startsWith('127.');
}
