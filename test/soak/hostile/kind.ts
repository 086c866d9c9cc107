import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { WebSocket } from 'ws';
import type { Chance } from '../chance.ts';

/** Whom the hostile clients attack, and what they have got hold of. */
export interface Target {
  readonly host: string;
  readonly port: number;
  /** Of the listener for agents of the newer generation. */
  readonly agentPort: number;
  /** Credentials by what they are good for; `revoked` was good until the attack began. */
  readonly keys: Readonly<Record<'admin' | 'read' | 'submit' | 'revoked', string>>;
}

/** How an attack ended, as far as the backend said. */
export type Ending = 'answered' | 'refused' | 'cut';

/** One attack. */
export interface Attack {
  readonly target: Target;
  /** The address on this machine that it comes from: each kind has its own, so that none can hide behind another. */
  readonly from: string;
  readonly chance: Chance;
  /** Another number for each attack of the run. */
  readonly serial: number;
  readonly signal: AbortSignal;
  readonly note: (ending: Ending) => void;
}

/** One way to do harm. To add one, write it and name it in `kinds.ts`. */
export interface HostileKind {
  readonly name: string;
  /** Attacks at once, at full strength. */
  readonly lanes: number;
  /** Between two attacks of a lane. */
  readonly pauseMs: number;
  /** Settles when the attack is over. What it throws counts as cut. */
  attack(attack: Attack): Promise<void>;
}

/** How long what is held open is held, unless it is cut before. */
export const HOLD_MS = 20_000;

/** Waits, until the run is over at most. */
export async function hold(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => undefined);
}

/** A connection that does nothing by itself; it is destroyed when the run is over. */
export function open(
  { target, from, signal }: Attack,
  { port = target.port, allowHalfOpen = false }: { readonly port?: number; readonly allowHalfOpen?: boolean } = {},
): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const socket = connect({ host: target.host, port, localAddress: from, allowHalfOpen });
  // What happens to it later is for its end to tell.
  socket.on('error', reject);
  socket.on('connect', () => resolve(socket));
  const stop = (): void => void socket.destroy();
  signal.addEventListener('abort', stop, { once: true });
  socket.on('close', () => signal.removeEventListener('abort', stop));
  return promise;
}

/** Waits until the connection is closed, for so long at most, then closes it. */
export async function holdOpen(socket: Socket, attack: Attack, ms = HOLD_MS): Promise<void> {
  if (!socket.closed) await holdUntil((closed) => socket.once('close', closed), attack, ms);
  socket.destroy();
}

/** @param onClose calls back when the backend has ended what is held */
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

/** The head of a request, with the length of the body that follows. */
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

/** Notes the status of the first answer, or that the connection ended without one. */
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

/** Asks once on a connection of its own. */
export async function ask(attack: Attack, method: string, path: string, parts: RequestParts = {}): Promise<void> {
  const socket = await open(attack);
  socket.write(head(method, path, parts));
  if (parts.body !== undefined) socket.write(parts.body);
  await noteAnswer(socket, attack);
  socket.destroy();
}

/** A WebSocket from the address of the attack. @throws Error when it is refused */
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

/** Waits until the backend ends the connection, for so long at most, then ends it. */
export async function holdWebSocket(socket: WebSocket, attack: Attack, ms = HOLD_MS): Promise<void> {
  if (socket.readyState !== WebSocket.CLOSED) await holdUntil((closed) => socket.once('close', closed), attack, ms);
  socket.terminate();
}
