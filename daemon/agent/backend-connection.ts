import type { IncomingMessage } from 'node:http';
import { WebSocket, type RawData } from 'ws';
import { connectionProblem, speaksTls, tlsProblem } from '../../shared/client/connection-problem.ts';
import {
  AGENT_PROTOCOL,
  AGENT_REPLACED_CLOSE_CODE,
  backendMessageSchema,
  type AgentMessage,
  type BackendMessage,
} from '../../shared/schemas/agent.ts';
import type { ConnectOptions } from '../../shared/tls/client-tls.ts';
import type { Clock } from '../clock/clock.ts';

const HANDSHAKE_TIMEOUT_MS = 10_000;
const PING_EVERY_MS = 10_000;
/** Maximum time without a message, ping or pong from the backend; after it the connection is closed. */
const SILENCE_MAX_MS = 30_000;
/** Time limit of the closing handshake; after it the socket is destroyed. */
const CLOSE_TIMEOUT_MS = 2000;
/**
 * Maximum size of a received frame. Frames from a backend are small; a peer that sends a larger one is not a backend.
 */
const FRAME_BYTES_MAX = 1024 * 1024;
/** Maximum number of characters that are read from the body of an HTTP response that rejects the connection. */
const REFUSAL_CHARACTERS_MAX = 1000;

export interface ConnectionOptions {
  /** The WebSocket URL of the backend, without credentials. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly tls: ConnectOptions;
  readonly clock: Clock;
}

/** The HTTP response of a peer that rejected the WebSocket handshake. */
export interface HandshakeRefusal {
  /** The HTTP status of the response. */
  readonly status: number;
  /** The beginning of the response body, which states the reason. */
  readonly body: string;
}

/** Describes why a connection ended. */
export interface ConnectionEnd {
  /** The reason for the end of the connection, as text for operators. */
  readonly reason: string;
  readonly refusal?: HandshakeRefusal;
  /** True if the backend closed the connection because another agent with the same name has connected. */
  readonly isReplaced?: boolean;
}

export interface ConnectionListener {
  onOpen(): void;
  onMessage(message: BackendMessage): void;
  /** Called exactly once, even if the connection never opened. */
  onClose(end: ConnectionEnd): void;
}

export interface BackendConnection {
  send(message: AgentMessage): void;
  /** Sends a message whose JSON text is already encoded. */
  sendText(frame: string): void;
  close(reason: string): void;
}

/**
 * Opens one WebSocket connection to the backend and reports its messages to `listener`. Closes the connection if a
 * frame is invalid, or if nothing arrives for 30 seconds.
 */
export function connectBackend(
  { url, headers, tls, clock }: ConnectionOptions,
  listener: ConnectionListener,
): BackendConnection {
  const socket = new WebSocket(url, AGENT_PROTOCOL, {
    ...tls,
    headers,
    handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
    perMessageDeflate: false,
    maxPayload: FRAME_BYTES_MAX,
  });
  const timers = new DisposableStack();
  let heardMs = clock.monotonic();
  let hasEnded = false;

  const end = (how: ConnectionEnd): void => {
    if (hasEnded) return;
    hasEnded = true;
    timers.dispose();
    listener.onClose(how);
  };
  const cut = (how: ConnectionEnd): void => {
    end(how);
    socket.terminate();
  };
  const heard = (): void => {
    heardMs = clock.monotonic();
  };
  const receive = (data: RawData, isBinary: boolean): void => {
    heard();
    const message = isBinary ? undefined : parseFrame(data);
    if (message === undefined) cut({ reason: 'the backend sent a frame that is not part of the agent protocol' });
    else if (!hasEnded) listener.onMessage(message);
  };

  socket.on('open', () => {
    heard();
    const pings = clock.every(PING_EVERY_MS, () => {
      if (clock.monotonic() - heardMs >= SILENCE_MAX_MS) cut({ reason: 'no response from the backend for 30 seconds' });
      else socket.ping();
    });
    timers.use(pings);
    listener.onOpen();
  });
  socket.on('message', receive);
  socket.on('ping', heard);
  socket.on('pong', heard);
  socket.on('unexpected-response', (_request, response) => {
    const status = response.statusCode ?? 0;
    // A rejecting response whose body never ends is cut off after the time limit of the handshake.
    timers.use(clock.after(HANDSHAKE_TIMEOUT_MS, () => response.destroy()));
    const reason = speaksTls(status, response.headers) ? tlsProblem(url) : refusalText(url, status);
    void readBodyStart(response).then((body) => cut({ reason, refusal: { status, body } }));
  });
  socket.on('error', (error) => end({ reason: connectionProblem(url, error) }));
  socket.on('close', (code, reason) => end(closeEnd(code, reason.toString('utf8'))));

  return {
    send: (message) => socket.send(JSON.stringify(message)),
    sendText: (frame) => socket.send(frame),
    close(reason) {
      end({ reason });
      const cutting = clock.after(CLOSE_TIMEOUT_MS, () => socket.terminate());
      socket.once('close', () => cutting[Symbol.dispose]());
      socket.close(1000);
    },
  };
}

function parseFrame(data: RawData): BackendMessage | undefined {
  if (!Buffer.isBuffer(data)) return undefined;
  try {
    const message: unknown = JSON.parse(data.toString('utf8'));
    return backendMessageSchema.safeParse(message).success ? (message as BackendMessage) : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the beginning of the response body. Never rejects: if the response breaks off, returns what was received. */
async function readBodyStart(response: IncomingMessage): Promise<string> {
  let text = '';
  try {
    response.setEncoding('utf8');
    for await (const part of response) {
      text += String(part);
      if (text.length >= REFUSAL_CHARACTERS_MAX) break;
    }
  } catch {
    // The response was cut off: the received part is returned.
  }
  return text.slice(0, REFUSAL_CHARACTERS_MAX).trim();
}

function refusalText(url: string, status: number): string {
  switch (status) {
    case 401:
      return `the backend at ${url} rejects the credentials of the agent (HTTP 401): set MON_API_KEY, or MON_AGENT_CREDENTIALS to user:password`;
    case 402:
      return `the backend at ${url} has reached its entity limit (HTTP 402): raise its entity-limit`;
    case 403:
      return `the backend at ${url} does not allow these credentials to submit results (HTTP 403): use a key with the scope submit`;
    case 404:
      return `there is no backend for agents at ${url}, or the namespace does not exist (HTTP 404): check both`;
    case 429:
    case 503:
      return `the backend at ${url} is busy (HTTP ${String(status)})`;
    default:
      return `the backend at ${url} rejects the connection (HTTP ${String(status)})`;
  }
}

function closeEnd(code: number, reason: string): ConnectionEnd {
  if (code === AGENT_REPLACED_CLOSE_CODE) {
    const advice = 'give one of the two another name (client.name), or stop it';
    return { reason: `another agent with this name has connected: ${advice}`, isReplaced: true };
  }
  // No peer sends the close codes 1005 and 1006. The code is 1005 if the peer sent none, and 1006 if the connection
  // broke.
  const text = code === 1006 ? 'the connection was lost' : `the backend closed the connection (${String(code)})`;
  return { reason: reason === '' ? text : `${text}: ${reason}` };
}
