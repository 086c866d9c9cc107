import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { WebSocket } from 'ws';
import type { Chance } from '../chance.ts';

/** The attacked backend, and the credentials that the hostile clients have obtained. */
export interface Target {
  readonly host: string;
  readonly port: number;
  /** Port of the listener for Sensu Go agents. */
  readonly agentPort: number;
  /** Credentials by their scope; `revoked` was valid until the attack began. */
  readonly keys: Readonly<Record<'admin' | 'read' | 'submit' | 'revoked', string>>;
}

/** The outcome of an attack, as far as the backend responded. */
export type Ending = 'answered' | 'refused' | 'cut';

/** The parameters of one attack. */
export interface Attack {
  readonly target: Target;
  /** The source address of the attack on this machine. Each kind has its own, so that none can hide behind another. */
  readonly from: string;
  readonly chance: Chance;
  /** A different number for each attack of the run. */
  readonly serial: number;
  readonly signal: AbortSignal;
  readonly note: (ending: Ending) => void;
}

/** A kind of attack. To add one, implement it and list it in `kinds.ts`. */
export interface HostileKind {
  readonly name: string;
  /** Number of concurrent attacks at full strength. */
  readonly lanes: number;
  /** Pause between two attacks of a lane. */
  readonly pauseMs: number;
  /** Resolves when the attack is over. An error counts as cut. */
  attack(attack: Attack): Promise<void>;
}

/** Time for which connections are held open, unless they are cut before. */
export const HOLD_MS = 20_000;

/** Waits, at most until the run is over. */
export async function hold(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => undefined);
}

/** Opens an idle connection; it is destroyed when the run is over. */
export function open(
  { target, from, signal }: Attack,
  { port = target.port, allowHalfOpen = false }: { readonly port?: number; readonly allowHalfOpen?: boolean } = {},
): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const socket = connect({ host: target.host, port, localAddress: from, allowHalfOpen });
  // After the connection is open, errors appear as its end.
  socket.on('error', reject);
  socket.on('connect', () => resolve(socket));
  const stop = (): void => void socket.destroy();
  signal.addEventListener('abort', stop, { once: true });
  socket.on('close', () => signal.removeEventListener('abort', stop));
  return promise;
}

/** Waits until the connection is closed, at most for `ms`, then closes it. */
export async function holdOpen(socket: Socket, attack: Attack, ms = HOLD_MS): Promise<void> {
  if (!socket.closed) await holdUntil((closed) => socket.once('close', closed), attack, ms);
  socket.destroy();
}

/**
 * Waits for the end.
 *
 * @param onClose calls back when the backend has closed the connection
 */
async function holdUntil(onClose: (closed: () => void) => void, { signal, note }: Attack, ms: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<'closed'>();
  onClose(() => resolve('closed'));
  const outcome = await Promise.race([promise, hold(ms, signal)]);
  if (outcome === 'closed' && !signal.aborted) note('cut');
}

export interface RequestParts {
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

/** Returns the head of a request, with the length of its body. */
export function head(method: string, path: string, { key, headers = {}, body }: RequestParts = {}): string {
  const lines = Object.entries({
    Host: '127.0.0.1',
    ...(key === undefined ? {} : { Authorization: `Key ${key}` }),
    ...(body === undefined
      ? {}
      : { 'Content-Type': 'application/json', 'Content-Length': String(Buffer.byteLength(body)) }),
    ...headers,
  });
  return `${method} ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`;
}

/** Notes the status of the first response, or that the connection ended without one. */
export async function noteAnswer(socket: Socket, { note, signal }: Attack): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let text = '';
  socket.on('data', (chunk: Buffer) => {
    if (text.length < 16) text += chunk.toString('latin1').slice(0, 16);
    const status = /^HTTP\/1\.1 (\d{3})/.exec(text)?.[1];
    if (status === undefined) return;
    socket.removeAllListeners('data');
    socket.resume();
    note(Number(status) < 400 ? 'answered' : 'refused');
    resolve();
  });
  socket.once('close', () => {
    if (!signal.aborted && text === '') note('cut');
    resolve();
  });
  await promise;
}

/** Sends one request on its own connection. */
export async function ask(attack: Attack, method: string, path: string, parts: RequestParts = {}): Promise<void> {
  const socket = await open(attack);
  socket.write(head(method, path, parts));
  if (parts.body !== undefined) socket.write(parts.body);
  await noteAnswer(socket, attack);
  socket.destroy();
}

/**
 * Opens a WebSocket from the address of the attack.
 *
 * @throws Error when it is rejected
 */
export async function openWebSocket(
  { target, from, signal }: Attack,
  path: string,
  {
    protocol,
    key,
    headers = {},
    port = target.port,
  }: {
    readonly protocol?: string;
    readonly key?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly port?: number;
  },
): Promise<WebSocket> {
  const { promise, resolve, reject } = Promise.withResolvers<WebSocket>();
  const socket = new WebSocket(`ws://${target.host}:${String(port)}${path}`, protocol === undefined ? [] : [protocol], {
    perMessageDeflate: false,
    localAddress: from,
    headers: { ...(key === undefined ? {} : { Authorization: `Key ${key}` }), ...headers },
  });
  socket.on('error', reject);
  socket.on('open', () => resolve(socket));
  const stop = (): void => socket.terminate();
  signal.addEventListener('abort', stop, { once: true });
  socket.on('close', () => signal.removeEventListener('abort', stop));
  return promise;
}

/** Waits until the backend closes the connection, at most for `ms`, then closes it. */
export async function holdWebSocket(socket: WebSocket, attack: Attack, ms = HOLD_MS): Promise<void> {
  if (socket.readyState !== WebSocket.CLOSED) await holdUntil((closed) => socket.once('close', closed), attack, ms);
  socket.terminate();
}
