import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { WebSocket } from 'ws';
import type { RandomChoices } from '../random-choices.ts';

/** The backend under attack, and the credentials that the hostile clients have obtained. */
export interface Target {
  readonly host: string;
  readonly port: number;
  /** Port of the listener for Sensu Go agents. */
  readonly agentPort: number;
  /** API keys by their scope. The key `revoked` is revoked during the attack. */
  readonly keys: Readonly<Record<'admin' | 'read' | 'submit' | 'revoked', string>>;
}

/**
 * The outcome of an attack: a response with success, a response with an error status, or a connection without a
 * response.
 */
export type Ending = 'answered' | 'refused' | 'cut';

/** The parameters of one attack. */
export interface Attack {
  readonly target: Target;
  /**
   * Source IP address of the attack on this machine. Each kind has its own address, so that limits per address apply to
   * each kind.
   */
  readonly from: string;
  readonly random: RandomChoices;
  /** Sequential number of the attack, unique in the run. */
  readonly serial: number;
  readonly signal: AbortSignal;
  readonly note: (ending: Ending) => void;
}

/** A kind of attack. A new kind must be listed in `kinds.ts`. */
export interface HostileKind {
  readonly name: string;
  /** Number of concurrent attacks of this kind at full strength. */
  readonly lanes: number;
  /** Pause in milliseconds between two attacks of a lane. */
  readonly pauseMs: number;
  /** Performs the attack. Resolves when it is over; a rejection counts as the outcome `cut`. */
  attack(attack: Attack): Promise<void>;
}

/** Maximum time in milliseconds for which a connection is held open. */
export const HOLD_MS = 20_000;

/** Waits for `ms`, or until the run is over. */
export async function hold(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => undefined);
}

/** Opens an idle TCP connection; it is destroyed when the run is over. */
export function open(
  { target, from, signal }: Attack,
  { port = target.port, allowHalfOpen = false }: { readonly port?: number; readonly allowHalfOpen?: boolean } = {},
): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const socket = connect({ host: target.host, port, localAddress: from, allowHalfOpen });
  // Errors after the connection is established close it, so that only its end needs to be handled.
  socket.on('error', reject);
  socket.on('connect', () => resolve(socket));
  const stop = (): void => void socket.destroy();
  signal.addEventListener('abort', stop, { once: true });
  socket.on('close', () => signal.removeEventListener('abort', stop));
  return promise;
}

/** Waits until the backend closes the connection, at most for `ms`, and then destroys it. */
export async function holdOpen(socket: Socket, attack: Attack, ms = HOLD_MS): Promise<void> {
  if (!socket.closed) await holdUntil((closed) => socket.once('close', closed), attack, ms);
  socket.destroy();
}

/**
 * Waits until the backend closes the connection, at most for `ms`, and records the outcome `cut` if it does.
 *
 * @param onClose function that registers a callback for the end of the connection
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

/** Returns the head of an HTTP request, with the length of its body. */
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

/** Records the outcome from the status of the first response; `cut` if the connection ended without one. */
export async function noteResponse(socket: Socket, { note, signal }: Attack): Promise<void> {
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

/** Sends one request on a new connection, and records its outcome. */
export async function ask(attack: Attack, method: string, path: string, parts: RequestParts = {}): Promise<void> {
  const socket = await open(attack);
  socket.write(head(method, path, parts));
  if (parts.body !== undefined) socket.write(parts.body);
  await noteResponse(socket, attack);
  socket.destroy();
}

/**
 * Opens a WebSocket from the source address of the attack.
 *
 * @throws Error if the backend rejects it
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

/** Waits until the backend closes the WebSocket, at most for `ms`, and then terminates it. */
export async function holdWebSocket(socket: WebSocket, attack: Attack, ms = HOLD_MS): Promise<void> {
  if (socket.readyState !== WebSocket.CLOSED) await holdUntil((closed) => socket.once('close', closed), attack, ms);
  socket.terminate();
}
