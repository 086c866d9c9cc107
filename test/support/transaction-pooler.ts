import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** Byte of the message `ReadyForQuery`, and its status outside of a transaction. */
const READY = 'Z'.charCodeAt(0);
const IDLE = 'I'.charCodeAt(0);
const HEADER_BYTES = 5;

/** A session at the PostgreSQL server, and the client that uses it at the moment. */
interface Session {
  readonly socket: Socket;
  client: Socket | undefined;
  unparsed: Buffer;
}

/**
 * Starts a proxy before a PostgreSQL server that shares sessions as PgBouncer does in transaction mode: after each
 * transaction the session goes back to a stack, and the next transaction of any client takes the newest one.
 *
 * @returns the URL of the database behind the proxy
 */
export async function startTransactionPooler(database: string): Promise<string> {
  const { hostname, port } = new URL(database);
  const idle: Session[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const socket = connect(Number(port), hostname);
    let session: Session | undefined = { socket, client, unparsed: Buffer.alloc(0) };
    for (const end of [client, socket]) {
      sockets.add(end);
      end.on('error', () => end.destroy());
      end.on('close', () => sockets.delete(end));
    }
    client.on('data', (bytes: Buffer) => {
      if (session?.client !== client) session = idle.pop();
      if (session === undefined) throw new Error('the pooler has no idle session');
      session.client = client;
      session.socket.write(bytes);
    });
    const own = session;
    socket.on('data', (bytes: Buffer) => {
      own.client?.write(bytes);
      if (!endsTransaction(own, bytes)) return;
      own.client = undefined;
      idle.push(own);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const pooled = new URL(database);
  pooled.port = String((server.address() as AddressInfo).port);
  return pooled.href;
}

/** Parses messages of the server. @returns true if the last one says that the session is outside of a transaction */
function endsTransaction(session: Session, bytes: Buffer): boolean {
  let rest = Buffer.concat([session.unparsed, bytes]);
  let isOver = false;
  while (rest.length >= HEADER_BYTES) {
    const length = 1 + rest.readUInt32BE(1);
    if (rest.length < length) break;
    isOver = rest[0] === READY && rest[HEADER_BYTES] === IDLE;
    rest = rest.subarray(length);
  }
  session.unparsed = rest;
  return isOver;
}
