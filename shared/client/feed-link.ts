import type { IncomingMessage } from 'node:http';
import { WebSocket } from 'ws';
import { errorMessage } from '../errors.ts';
import { connectOptions } from '../tls/client-tls.ts';
import { FEED_HEARTBEAT_SECONDS, FEED_PATH, FEED_PROTOCOL, type FeedMessage } from '../schemas/feed.ts';
import type { FeedRequest } from '../schemas/feed-request.ts';
import type { BackendAddress } from './backend-address.ts';
import type { FeedClock } from './feed-clock.ts';
import { connectionProblem, speaksTls, tlsProblem } from './connection-problem.ts';
import { parseFeedFrame } from './feed-frames.ts';

/** Maximum size of a received frame in bytes. A backend splits larger data into several frames. */
export const FEED_FRAME_BYTES_MAX = 16 * 1024 * 1024;

const HEARTBEAT_MS = FEED_HEARTBEAT_SECONDS * 1000;

/** Number of unanswered pings after which a connection counts as dead. */
const PINGS_UNANSWERED_MAX = 2;

/**
 * The reason why a connection ended. `refused`: retries fail until the configuration of the client or the backend is
 * changed.
 */
export type LinkEnd =
  | { readonly kind: 'lost'; readonly reason: string }
  | { readonly kind: 'refused'; readonly code: string; readonly message: string };

export interface LinkListener {
  onOpen(): void;
  onMessage(message: Exclude<FeedMessage, { type: 'ping' | 'pong' | 'error' }>): void;
  /** Called once when the connection ends, as the last call. It is not called after `close`. */
  onEnd(end: LinkEnd): void;
}

export interface Link {
  /** Closes the connection without calling the listener. */
  close(): void;
  /** Sends a request. It has no effect while the connection is not open. */
  send(request: FeedRequest): void;
  /** Ends the connection as `lost`, because the backend violated the protocol. */
  drop(reason: string): void;
}

/** Interval in milliseconds at which the credentials of an open connection are renewed if they expire soon. */
const RENEWAL_MS = 10_000;

/**
 * Opens one connection to a feed, like `openLink`. Credentials that can be renewed are renewed before the connection
 * opens and while it is open.
 */
export function openRenewedLink(address: BackendAddress, clock: FeedClock, listener: LinkListener): Link {
  const { renew } = address;
  if (renew === undefined) return openLink(address, clock, listener);
  let link: Link | undefined;
  let timer: Disposable | undefined;
  let ended = false;
  const renewNow = (isForced = false): Promise<void> => renew(isForced).then(noop, noop);
  const renewLater = (): void => {
    timer = clock.after(RENEWAL_MS, () => {
      void renewNow();
      renewLater();
    });
  };
  const stop = (): void => {
    ended = true;
    timer?.[Symbol.dispose]();
  };
  const open = (): void => {
    if (ended) return;
    link = openLink(address, clock, {
      onOpen: () => listener.onOpen(),
      onMessage: (message) => listener.onMessage(message),
      onEnd: (end) => {
        stop();
        // The clock of this machine was possibly set, so that the credentials expired unnoticed.
        if (end.kind === 'refused' && end.code === 'unauthenticated') void renewNow(true);
        listener.onEnd(end);
      },
    });
  };
  renewLater();
  void renewNow().then(open);
  return {
    close: () => {
      stop();
      link?.close();
    },
    send: (request) => link?.send(request),
    drop: (reason) => link?.drop(reason),
  };
}

function noop(): void {
  // A failure to renew credentials is reported by the connection that needs them.
}

/** Opens one connection to a feed. The connection sends pings while no frame arrives, and reports once why it ended. */
function openLink(address: BackendAddress, clock: FeedClock, listener: LinkListener): Link {
  const socket = new WebSocket(`${address.url.replace(/^http/, 'ws')}${FEED_PATH}`, FEED_PROTOCOL, {
    ...connectOptions(address.tls),
    headers: address.headers,
    maxPayload: FEED_FRAME_BYTES_MAX,
    perMessageDeflate: false,
  });
  let ended = false;
  let lastFrameMs = clock.now();
  let pingsUnanswered = 0;
  let watch: Disposable;

  const close = (): void => {
    ended = true;
    watch[Symbol.dispose]();
    // `terminate` skips the closing handshake, because the backend possibly does not respond to it.
    socket.terminate();
  };
  const end = (why: LinkEnd): void => {
    if (ended) return;
    close();
    listener.onEnd(why);
  };
  const lose = (reason: string): void => end({ kind: 'lost', reason });
  const say = (request: FeedRequest): void => {
    if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(request));
  };

  const watchIn = (delayMs: number): void => {
    watch = clock.after(delayMs, () => {
      const idleMs = clock.now() - lastFrameMs;
      if (pingsUnanswered === 0 && idleMs < HEARTBEAT_MS) return watchIn(HEARTBEAT_MS - idleMs);
      if (pingsUnanswered === PINGS_UNANSWERED_MAX) {
        return lose(`no heartbeat from ${address.url} for ${String(Math.round(idleMs / 1000))} s`);
      }
      pingsUnanswered += 1;
      say({ type: 'ping' });
      watchIn(HEARTBEAT_MS);
    });
  };
  // Heartbeats start before the connection is open, so that an address that drops packets does not block for minutes.
  watchIn(HEARTBEAT_MS);

  socket.on('open', () => {
    if (!ended) listener.onOpen();
  });
  socket.on('message', (data, isBinary) => {
    if (ended) return;
    lastFrameMs = clock.now();
    pingsUnanswered = 0;
    if (isBinary || !Buffer.isBuffer(data)) return lose('the backend sent a frame that is not text');
    const message = readFrame(data.toString('utf8'));
    if (message === undefined) return;
    switch (message.type) {
      case 'unreadable':
        return lose(message.reason);
      case 'ping':
        return say({ type: 'pong' });
      case 'pong':
        return;
      case 'error':
        return end(errorEnd(message));
      default:
        return listener.onMessage(message);
    }
  });
  socket.on('unexpected-response', (_request, response) => {
    response.destroy();
    end(refusalEnd(address.url, response));
  });
  socket.on('error', (error) => {
    if (/subprotocol/i.test(error.message)) {
      return end({ kind: 'refused', code: 'version', message: versionMessage(address.url) });
    }
    lose(connectionProblem(address.url, error));
  });
  socket.on('close', (code, reason) => {
    const why = reason.length > 0 ? reason.toString('utf8') : `code ${String(code)}`;
    lose(`${address.url} closed the connection (${why})`);
  });

  return { close, send: say, drop: lose };
}

function readFrame(text: string): FeedMessage | { type: 'unreadable'; reason: string } | undefined {
  try {
    return parseFeedFrame(text);
  } catch (error) {
    return { type: 'unreadable', reason: errorMessage(error) };
  }
}

/** Converts the backend's error message, which ends the connection. Only `unavailable` and `internal` are temporary. */
function errorEnd({ code, message }: { readonly code: string; readonly message: string }): LinkEnd {
  return code === 'unavailable' || code === 'internal'
    ? { kind: 'lost', reason: message }
    : { kind: 'refused', code, message };
}

function refusalEnd(url: string, { statusCode = 0, headers }: IncomingMessage): LinkEnd {
  if (speaksTls(statusCode, headers)) return { kind: 'refused', code: 'invalid', message: tlsProblem(url) };
  switch (statusCode) {
    case 401:
      return {
        kind: 'refused',
        code: 'unauthenticated',
        message: `${url} requires credentials: set MON_API_KEY, or MON_CREDENTIALS=user:password, or use http://user:password@host`,
      };
    case 403:
      return {
        kind: 'refused',
        code: 'forbidden',
        message: `${url} does not allow the live feed with these credentials`,
      };
    case 404:
      return { kind: 'refused', code: 'not_found', message: `${url} has no live feed: check that it is a mon backend` };
    case 400:
    case 426:
      return { kind: 'refused', code: 'version', message: versionMessage(url) };
    default:
      return { kind: 'lost', reason: `${url} answered HTTP ${String(statusCode)}` };
  }
}

function versionMessage(url: string): string {
  return `${url} does not support ${FEED_PROTOCOL}: use a console and a backend of the same release`;
}
