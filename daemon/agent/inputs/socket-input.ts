import { createSocket, type Socket as DatagramSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, isIPv6, type AddressInfo, type Server, type Socket } from 'node:net';
import { parseJsonWithRawControls } from '../../../shared/domain/raw-control-characters.ts';
import { MonError } from '../../../shared/errors.ts';
import type { Log } from '../../log/log.ts';
import type { Clock } from '../ports.ts';
import type { AcceptMessage } from './local-result.ts';
import { logRefusal } from './log-refusal.ts';
import { SocketConversation } from './socket-conversation.ts';

/** Programs that may speak at once. */
const CONNECTIONS_MAX = 64;
/** How long an answer may take to be fetched before the connection is cut. */
const FAREWELL_MS = 2000;

export interface Address {
  readonly bind: string;
  /** 0: any free one. */
  readonly port: number;
}

/** An input that is open. Disposing of it cuts its connections. */
export interface LocalInput extends AsyncDisposable {
  readonly port: number;
}

interface InputDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly accept: AcceptMessage;
}

/**
 * Results of local programs over TCP (completion 1.11): one message per connection, which is answered and closed.
 *
 * Rejects with the system's error when the address cannot be used.
 */
export async function openTcpInput({ bind, port }: Address, { clock, log, accept }: InputDeps): Promise<LocalInput> {
  const sockets = new Set<Socket>();
  // A program may close its side once it has said everything, and still wants its answer.
  const server: Server = createServer({ allowHalfOpen: true }, (socket) => {
    const farewell = new DisposableStack();
    const conversation = new SocketConversation({
      clock,
      log,
      accept,
      finish: (answer) => {
        if (answer === undefined) socket.destroy();
        else socket.end(answer);
        farewell.use(clock.after(FAREWELL_MS, () => socket.destroy()));
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
  server.on('error', (error) => log.warn({ input: 'tcp', reason: error.message }, 'connection could not be accepted'));
  return {
    port: portOf(server.address()),
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Takes results over UDP: one message per datagram, never an answer. */
export async function openUdpInput({ bind, port }: Address, { log, accept }: InputDeps): Promise<LocalInput> {
  const socket: DatagramSocket = createSocket(isIPv6(bind) ? 'udp6' : 'udp4');
  const receive = async (datagram: Buffer): Promise<void> => {
    const text = datagram.toString('utf8');
    // There is nobody to answer.
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
  socket.on('error', (error) => log.warn({ input: 'udp', reason: error.message }, 'datagram could not be received'));
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

/** Whether only this machine can reach an input at this address. */
export function isLoopback(bind: string): boolean {
  return bind === 'localhost' || bind === '::1' || bind.startsWith('127.');
}
