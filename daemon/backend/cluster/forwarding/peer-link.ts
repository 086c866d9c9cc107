import { hash } from 'node:crypto';
import {
  Agent,
  request as startRequest,
  type ClientRequest,
  type IncomingMessage,
  type OutgoingHttpHeaders,
} from 'node:http';
import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import type { Duplex } from 'node:stream';
import type { Clock } from '../../ports.ts';
import { CHANNELS_PROTOCOL } from '../../http/http-server.ts';
import type { PeerAddress } from './leadership.ts';
import { PeerChannels, type UpgradeResponse } from './peer-channels.ts';
import { CHANNELS_PATH } from './peer-headers.ts';
import type { PeerSignatures } from './proof/peer-signatures.ts';

/**
 * Idle time after which this end closes a connection. It is far less than the 72 seconds after which the other end
 * would close it.
 */
const IDLE_MS = 5000;

/** Maximum number of idle connections to another member. */
const IDLE_MAX = 64;

/** Timeout for establishing a connection to another member, including the TLS handshake. */
const CONNECT_TIMEOUT_MS = 2000;

/** Timeout for the headers of a response; the slowest request, the restore of a large backup, takes a few seconds. */
const RESPONSE_TIMEOUT_MS = 60_000;

/** The error for a request that can be sent again: nothing was sent yet, or the request is idempotent. */
export class UnsentError extends Error {
  override readonly name = 'UnsentError';
}

/** The error for a request that was sent and got no response, so that its outcome is unknown. */
export class UnansweredError extends Error {
  override readonly name = 'UnansweredError';
}

/** A request to another member of the cluster. */
export interface PeerRequest {
  readonly method: string;
  /** The path and query of the URL. */
  readonly path: string;
  readonly headers: OutgoingHttpHeaders;
  readonly body?: Buffer | undefined;
  /** Aborts the request. A request without a signal has a timeout instead. */
  readonly signal?: AbortSignal | undefined;
}

interface ResponseOptions {
  readonly body: Buffer | undefined;
  /** True if the request can safely be sent again after it failed. */
  readonly isRepeatable: boolean;
  /** True if the request has a timeout. */
  readonly isLimited: boolean;
}

/** The dependencies of `PeerLink`. */
export interface LinkDependencies {
  /** Signs each request; the signature is valid only at the member that gets the request. */
  readonly signatures: Pick<PeerSignatures, 'headerOf'>;
  readonly clock: Pick<Clock, 'after' | 'every'>;
}

/** The connections to another member of the cluster. */
export class PeerLink implements Disposable {
  readonly address: PeerAddress;
  readonly #dependencies: LinkDependencies;
  readonly #agent: LinkAgent;
  readonly #channels: PeerChannels;

  constructor(address: PeerAddress, dependencies: LinkDependencies) {
    this.address = address;
    this.#dependencies = dependencies;
    this.#agent = new LinkAgent(address);
    this.#channels = new PeerChannels({
      requestConnection: (signal) => this.#requestChannels(signal),
      clock: dependencies.clock,
    });
  }

  /** Sends a request and waits for the headers of its response. @throws UnsentError, UnansweredError */
  async exchange({ method, path, headers, body, signal }: PeerRequest): Promise<IncomingMessage> {
    const length = body === undefined ? {} : { 'content-length': body.length };
    const request = startRequest({
      ...this.#agent.target,
      agent: this.#agent,
      method,
      path,
      headers: { ...headers, ...length, ...this.#signatureOf({ method, path, headers, body }) },
      ...(signal !== undefined && { signal }),
    });
    const { promise, resolve } = Promise.withResolvers<IncomingMessage>();
    request.once('response', resolve);
    const isRepeatable = method === 'GET' || method === 'HEAD';
    return this.#completeRequest(request, promise, { body, isRepeatable, isLimited: signal === undefined });
  }

  /**
   * Requests a tunnel to the other member. The tunnel is a channel of the shared connection if that member supports
   * channels, and a separate connection otherwise.
   *
   * @returns the tunnel, or the response that rejects it
   * @throws UnsentError, UnansweredError
   */
  async upgrade(request: PeerRequest, signal: AbortSignal): Promise<UpgradeResponse> {
    const channels = await this.#channels.current();
    return await this.#upgrade(request, signal, channels && (() => channels.open()));
  }

  /** Aborts all requests in progress. Open tunnels stay open; their owners must close them. */
  [Symbol.dispose](): void {
    this.#agent.destroy();
    this.#channels[Symbol.dispose]();
  }

  #signatureOf(request: PeerRequest): OutgoingHttpHeaders {
    return this.#dependencies.signatures.headerOf(request, this.address.id);
  }

  #requestChannels(signal: AbortSignal): Promise<UpgradeResponse> {
    const headers = { connection: 'Upgrade', upgrade: CHANNELS_PROTOCOL };
    return this.#upgrade({ method: 'GET', path: CHANNELS_PATH, headers }, signal);
  }

  /**
   * Sends an upgrade request.
   *
   * @param over callback that creates the stream for the request; if undefined, a separate connection is used
   */
  async #upgrade(
    { method, path, headers }: PeerRequest,
    signal: AbortSignal,
    over?: () => Duplex,
  ): Promise<UpgradeResponse> {
    const request = startRequest({
      ...this.#agent.target,
      createConnection: over ?? ((options, done) => this.#agent.createConnection(options, done)),
      method,
      path,
      headers: { ...headers, ...this.#signatureOf({ method, path, headers }) },
      signal,
    });
    const { promise, resolve } = Promise.withResolvers<UpgradeResponse>();
    request.once('upgrade', (response, socket, head) => resolve({ response, socket, head }));
    request.once('response', (refusal) => resolve({ refusal }));
    return this.#completeRequest(request, promise, { body: undefined, isRepeatable: true, isLimited: true });
  }

  async #completeRequest<Answer>(
    request: ClientRequest,
    answer: Promise<Answer>,
    { body, isRepeatable, isLimited }: ResponseOptions,
  ): Promise<Answer> {
    let isSent = false;
    // The agent assigns only connections that are established and whose certificate was verified.
    request.once('socket', () => {
      isSent = true;
    });
    const { promise: failed, reject } = Promise.withResolvers<never>();
    request.on('error', (cause) => {
      const isLost = isSent && !isRepeatable;
      reject(new (isLost ? UnansweredError : UnsentError)(cause.message, { cause }));
    });
    using impatience = new DisposableStack();
    const giveUp = (): void => void request.destroy(new Error('the cluster member did not respond in time'));
    if (isLimited) impatience.use(this.#dependencies.clock.after(RESPONSE_TIMEOUT_MS, giveUp));
    request.end(body);
    return await Promise.race([answer, failed]);
  }
}

/** HTTP agent that connects to another member and checks that it presents the certificate that it announced. */
class LinkAgent extends Agent {
  readonly target: { readonly host: string; readonly port: number };
  readonly #address: PeerAddress;

  constructor(address: PeerAddress) {
    super({ keepAlive: true, timeout: IDLE_MS, maxFreeSockets: IDLE_MAX });
    const { hostname, port, protocol } = new URL(address.url);
    this.target = {
      host: hostname.replace(/^\[(.*)\]$/, '$1'),
      port: port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port),
    };
    this.#address = address;
  }

  override createConnection(...[, done]: Parameters<Agent['createConnection']>): undefined {
    const { socket, ready } = this.#connect();
    const fail = (error: Error): void => {
      socket.destroy();
      // The types of `Agent` require a socket even if there is an error.
      done?.(error, socket);
    };
    const giveUp = (): void => fail(new Error('connecting to the cluster member timed out'));
    socket.once('error', fail);
    socket.setTimeout(CONNECT_TIMEOUT_MS, giveUp);
    socket.once(ready, () => {
      socket.off('error', fail);
      socket.off('timeout', giveUp);
      socket.setTimeout(0);
      socket.setNoDelay(true);
      if (this.#hasExpectedCertificate(socket)) done?.(null, socket);
      else fail(new Error('the certificate of the cluster member differs from the certificate that it announced'));
    });
    return undefined;
  }

  #connect(): { readonly socket: Socket; readonly ready: 'connect' | 'secureConnect' } {
    const { url, fingerprint } = this.#address;
    if (!url.startsWith('https:')) return { socket: connectTcp(this.target), ready: 'connect' };
    // The fingerprint alone identifies the member, so the names and the issuer of its certificate are not verified.
    const rejectUnauthorized = fingerprint === undefined;
    return { socket: connectTls({ ...this.target, rejectUnauthorized }), ready: 'secureConnect' };
  }

  #hasExpectedCertificate(socket: Socket): boolean {
    const { fingerprint } = this.#address;
    if (fingerprint === undefined) return true;
    if (!('getPeerX509Certificate' in socket)) return false;
    const certificate = (socket as TLSSocket).getPeerX509Certificate();
    return (
      certificate !== undefined &&
      hash('sha256', certificate.raw, 'hex') === fingerprint.replaceAll(':', '').toLowerCase()
    );
  }
}
