import { backoffMs } from '../../shared/domain/backoff.ts';
import { errorMessage } from '../../shared/errors.ts';
import {
  AGENT_NAME_HEADER,
  AGENT_NAMESPACE_HEADER,
  type AgentMessage,
  type BackendMessage,
  type CheckRequest,
} from '../../shared/schemas/agent.ts';
import type { Client } from '../../shared/schemas/client.ts';
import type { SubmittedResult } from '../../shared/schemas/result.ts';
import { connectOptions } from '../../shared/tls/client-tls.ts';
import type { Log } from '../log/log.ts';
import {
  connectBackend,
  type BackendConnection,
  type ConnectionEnd,
  type ConnectionOptions,
} from './backend-connection.ts';
import type { AgentAddress } from './agent-address.ts';
import type { Clock } from '../clock/clock.ts';
import { SentResults } from './sent-results.ts';
import type { Spool } from './spool.ts';
import type { SpooledResult } from './unsaved-results.ts';

const RECONNECT_BACKOFF = { minMs: 500, maxMs: 30_000 };
/**
 * Limits of the delay before the next backend in the list is tried. The delay is random, so that many agents that lose
 * the same backend do not all connect to the next backend at once.
 */
const NEXT_BACKEND = { minMs: 100, maxMs: 1000 };
/**
 * Time limit for the `welcome` message after `hello`; a peer that sends none within it is assumed not to be a backend.
 */
const WELCOME_TIMEOUT_MS = 10_000;
/**
 * Time limit for the next acknowledgment while results are unacknowledged. A busy backend may acknowledge a result
 * late, but a backend that lost a frame never acknowledges its results.
 */
const ACK_TIMEOUT_MS = 60_000;
/** Maximum size of one `results` frame. A single result with more characters is sent in a frame of its own. */
const FRAME_LIMITS = { results: 1000, characters: 512 * 1024 };
const DROPPED_EVERY_MS = 60_000;

interface ResultSocketDependencies {
  /** The backends, in the order in which they are tried. */
  readonly backends: readonly AgentAddress[];
  /**
   * Returns the TLS options of the next connection. Default: options that trust the certificate authorities of Node.js.
   */
  readonly tls?: () => ConnectionOptions['tls'];
  readonly namespace: string;
  readonly spool: Spool;
  readonly clock: Clock;
  readonly log: Log;
  /** Returns a random number from 0 to below 1, evenly distributed. */
  readonly random: () => number;
  /** Returns the current client record. */
  readonly client: () => Client;
  /**
   * The signature of the client, sent with each full result; undefined if the client has no signature. The backend
   * records the signature of a client once and then rejects results of that client without it (completion 1.10).
   */
  readonly signature: string | undefined;
  readonly onWelcome: () => void;
  readonly onCheckRequest: (check: CheckRequest) => void;
}

/** An open connection on which the backend has sent its `welcome` message. */
interface Session {
  readonly connection: BackendConnection;
  /** The spool name that the agent sent in the `hello` message of this connection. */
  readonly spool: string;
  readonly sent: SentResults;
  /**
   * Timer that closes the connection if no acknowledgment arrives in time. It runs while results are unacknowledged and
   * restarts at each `ack` and `resend` message.
   */
  ackTimer: Disposable | undefined;
}

/**
 * Keeps a connection to a backend open and sends it the results in the spool, in order, with at most `window`
 * unacknowledged results. After a reconnect it sends the unacknowledged results again; the backend ignores those that
 * it has already committed. OK results are sent as deltas to baselines that the backend has confirmed.
 */
export class ResultSocket {
  readonly #deps: ResultSocketDependencies;
  readonly #timers = new DisposableStack();
  /** Timer of the current connection step: the next connection attempt, or the time limit for the `welcome` message. */
  #stepTimer: Disposable | undefined;
  #connection: BackendConnection | undefined;
  #session: Session | undefined;
  #attempt = 0;
  /**
   * Number of times in a row that another agent with the same name has replaced this agent at the backend. It lengthens
   * the reconnect delay, because two such agents that reconnect at once would replace each other forever.
   */
  #replacements = 0;
  /** Index in `backends` of the current backend: the agent is connected to it, is trying it or will try it next. */
  #backendIndex = 0;
  #closed = false;
  #isSending = false;
  #onIdle: (() => void) | undefined;

  constructor(deps: ResultSocketDependencies) {
    this.#deps = deps;
    this.#timers.use(deps.clock.every(DROPPED_EVERY_MS, () => this.#reportDropped()));
  }

  /** True from the `welcome` message of a backend until the connection ends. */
  get isConnected(): boolean {
    return this.#session !== undefined;
  }

  /**
   * Sends the unsent results in the spool, up to the window, the maximum number of unacknowledged results. Called after
   * a result was added to the spool.
   */
  wake(): void {
    this.#reconnectOnError(this.#sendResults());
  }

  /** Sends a keepalive if a backend is connected. Keepalives are never spooled, because an old keepalive is useless. */
  sendKeepalive(): void {
    this.#session?.connection.send({ type: 'keepalive', client: this.#deps.client() });
  }

  /**
   * Waits at most `timeoutMs`, and only while connected, until the backend has acknowledged all results; then
   * disconnects.
   */
  async close(timeoutMs: number): Promise<void> {
    if (this.#closed) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onIdle = resolve;
    this.#timers.use(this.#deps.clock.after(timeoutMs, resolve));
    this.#checkIdle();
    await promise;
    this.#closed = true;
    this.#stepTimer?.[Symbol.dispose]();
    this.#timers.dispose();
    this.#connection?.close('the agent stopped');
    this.#reportDropped();
  }

  get #backend(): AgentAddress {
    const backend = this.#deps.backends[this.#backendIndex];
    if (backend === undefined) throw new Error('no backend is configured');
    return backend;
  }

  /** Starts to connect to the current backend; until the connection opens, results wait in the spool. */
  connect(): void {
    const { tls = connectOptions, namespace, clock, client, spool } = this.#deps;
    const { url, headers: credentials } = this.#backend;
    const { name } = spool;
    const hello = (): AgentMessage => ({
      type: 'hello',
      client: client(),
      namespace,
      spool: name,
      delta: true,
    });
    // With these headers, the backend rejects an agent without access before it opens the connection.
    const headers = {
      ...credentials,
      [AGENT_NAME_HEADER]: client().name,
      [AGENT_NAMESPACE_HEADER]: namespace,
    };
    const connection = connectBackend(
      { url, headers, tls: tls(), clock },
      {
        onOpen: () => {
          connection.send(hello());
          this.#startStepTimer(WELCOME_TIMEOUT_MS, () => connection.close('the backend did not respond to hello'));
        },
        onMessage: (message) => this.#reconnectOnError(this.#receive(connection, name, message)),
        onClose: (end) => this.#handleConnectionEnd(end),
      },
    );
    this.#connection = connection;
  }

  /**
   * Logs an unexpected error of `work` and closes the connection. After the reconnect, the agent sends all
   * unacknowledged results again.
   */
  #reconnectOnError(work: Promise<void>): void {
    work.catch((error: unknown) => {
      this.#deps.log.error({ reason: errorMessage(error) }, 'could not send results to the backend, reconnecting');
      this.#connection?.close('could not send results to the backend, reconnecting');
    });
  }

  #startStepTimer(delayMs: number, task: () => void): void {
    this.#stepTimer?.[Symbol.dispose]();
    this.#stepTimer = this.#deps.clock.after(delayMs, task);
  }

  #handleConnectionEnd({ reason, refusal, isReplaced = false }: ConnectionEnd): void {
    const { log, random } = this.#deps;
    this.#session?.ackTimer?.[Symbol.dispose]();
    this.#session = undefined;
    this.#connection = undefined;
    this.#checkIdle();
    if (this.#closed) return;
    this.#replacements = isReplaced ? this.#replacements + 1 : 0;
    const delayMs = isReplaced
      ? backoffMs(this.#replacements, random(), RECONNECT_BACKOFF)
      : this.#selectNextBackend(random());
    const fields = { reason, retry_seconds: delayMs / 1000, spooled: this.#deps.spool.size };
    if (refusal === undefined) log.warn(fields, 'not connected to the backend');
    else {
      // The log record uses the words of Sensu (reference 7).
      const { status, body } = refusal;
      log.error(
        { error: `handshake failed with status ${String(status)}`, body, ...fields },
        'reconnection attempt failed',
      );
    }
    this.#startStepTimer(delayMs, () => this.connect());
  }

  /**
   * Selects the backend that is tried next.
   *
   * @returns the delay in milliseconds before the attempt: short while a round through the backends is incomplete,
   *   otherwise a backoff that grows with each round
   */
  #selectNextBackend(random: number): number {
    const { length } = this.#deps.backends;
    this.#attempt += 1;
    this.#backendIndex = (this.#backendIndex + 1) % length;
    const rounds = this.#attempt / length;
    return Number.isInteger(rounds) ? backoffMs(rounds, random, RECONNECT_BACKOFF) : backoffMs(0, random, NEXT_BACKEND);
  }

  /** @param spoolName the spool name that the agent sent in the `hello` message of this connection */
  async #receive(connection: BackendConnection, spoolName: string, message: BackendMessage): Promise<void> {
    const { log, onCheckRequest } = this.#deps;
    switch (message.type) {
      case 'welcome':
        await this.#welcome(connection, spoolName, message);
        break;
      case 'ack':
        await this.#handleAck(message);
        break;
      case 'resend':
        await this.#resend(message.after);
        break;
      case 'rejected':
        await this.#handleRejected(message);
        break;
      case 'check_request':
        if (this.#session !== undefined) onCheckRequest(message.check);
        break;
      case 'error':
        log.error({ code: message.code, reason: message.message }, 'the backend reported an error');
        break;
    }
  }

  async #welcome(
    connection: BackendConnection,
    spoolName: string,
    { acked, window, version }: Extract<BackendMessage, { type: 'welcome' }>,
  ): Promise<void> {
    const { log, spool, signature, onWelcome } = this.#deps;
    if (spoolName !== spool.name) {
      connection.close('a new spool');
      return;
    }
    if (!spool.couldHaveAssignedId(acked)) {
      log.warn(
        { acked, last: spool.lastId },
        'spool is out of date, because the backend already has newer results of this agent: starting a new spool',
      );
      await spool.rename(acked);
      connection.close('a new spool');
      return;
    }
    this.#stepTimer?.[Symbol.dispose]();
    this.#attempt = 0;
    // The session is set before the first `await`, because a check request that arrives meanwhile is ignored without a
    // session.
    const sent = new SentResults({ acked, window, signature });
    this.#session = { connection, spool: spoolName, sent, ackTimer: undefined };
    log.info({ url: this.#backend.url, version, spooled: spool.size }, 'connected to the backend');
    onWelcome();
    await spool.acknowledge(acked, spoolName);
    this.#checkIdle();
    await this.#sendResults();
  }

  async #handleRejected({ id, error }: Extract<BackendMessage, { type: 'rejected' }>): Promise<void> {
    const { log, spool } = this.#deps;
    // The backend sends `rejected` before the `ack` of the result, so the spool still has the result.
    const [result] = await spool.read(id - 1, { results: 1, characters: FRAME_LIMITS.characters });
    const logFields = result?.id === id ? logFieldsOf(result.text) : {};
    log.error({ id, ...logFields, reason: error }, 'the backend rejected a check result');
  }

  async #handleAck({ id, baselines }: Extract<BackendMessage, { type: 'ack' }>): Promise<void> {
    const session = this.#session;
    if (session === undefined) return;
    session.sent.acknowledge(id, baselines);
    this.#restartAckTimer(session);
    await this.#deps.spool.acknowledge(session.sent.ackedId, session.spool);
    this.#checkIdle();
    await this.#sendResults();
  }

  async #resend(after: number): Promise<void> {
    const session = this.#session;
    if (session === undefined) return;
    if (!session.sent.rewind(after)) {
      session.connection.close('the backend requested results after an id that was never sent');
      return;
    }
    this.#restartAckTimer(session);
    await this.#sendResults();
  }

  /**
   * Sends unsent results until the window is full. Only one call runs at a time: another call returns at once, and the
   * running loop sends its results.
   */
  async #sendResults(): Promise<void> {
    if (this.#isSending) return;
    this.#isSending = true;
    try {
      for (let session = this.#session; session !== undefined; session = this.#session) {
        if (session.spool !== this.#deps.spool.name) {
          // A renamed spool starts a new series of ids, which the agent can announce only in the `hello` message of a
          // new connection.
          session.connection.close('a new spool');
          return;
        }
        const { remainingWindow, sentId, rewinds } = session.sent;
        // There is no `await` between the check for unsent results and the return: a result that is added meanwhile
        // would not be sent.
        if (remainingWindow <= 0 || sentId >= this.#deps.spool.lastId) return;
        const results = await this.#nextResults(session.sent);
        const isOutdated = session.spool !== this.#deps.spool.name || rewinds !== session.sent.rewinds;
        if (session !== this.#session || isOutdated) continue;
        if (results.length === 0) return;
        session.connection.sendText(session.sent.nextFrame(results));
        if (session.ackTimer === undefined) this.#restartAckTimer(session);
      }
    } finally {
      this.#isSending = false;
    }
  }

  /** Returns the unsent results that come next, as many as the window and the limits of a frame allow. */
  async #nextResults({ remainingWindow, sentId }: SentResults): Promise<readonly SpooledResult[]> {
    const limits = { results: Math.min(remainingWindow, FRAME_LIMITS.results), characters: FRAME_LIMITS.characters };
    return await this.#deps.spool.read(sentId, limits);
  }

  #restartAckTimer(session: Session): void {
    session.ackTimer?.[Symbol.dispose]();
    session.ackTimer = undefined;
    if (session.sent.isAcknowledged) return;
    session.ackTimer = this.#deps.clock.after(ACK_TIMEOUT_MS, () =>
      session.connection.close('the backend has not acknowledged a result for 60 seconds'),
    );
  }

  #checkIdle(): void {
    // Stop only when the spool is empty: it removes a result some time after its acknowledgment, and would send a
    // remaining result again at the next start.
    if (this.#session === undefined || this.#deps.spool.size === 0) this.#onIdle?.();
  }

  #reportDropped(): void {
    const { spool, log } = this.#deps;
    const dropped = spool.takeDropped();
    if (dropped > 0) log.error({ dropped, spooled: spool.size }, 'spool is full: the oldest results were dropped');
  }
}

/** Returns the log fields that identify a spooled result. */
function logFieldsOf(text: string): Readonly<Record<string, string>> {
  const { name, source } = JSON.parse(text) as SubmittedResult;
  return { check: name, ...(typeof source === 'string' && { source }) };
}
