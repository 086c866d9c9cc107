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

const RECONNECT = { minMs: 500, maxMs: 30_000 };
/**
 * The delay before the next backend is tried. It is random, so that many agents that lose their backend do not reach
 * the next one at once.
 */
const NEXT_BACKEND = { minMs: 100, maxMs: 1000 };
/** The time limit for a welcome. After it, the peer is assumed not to be a backend. */
const WELCOME_TIMEOUT_MS = 10_000;
/** The time limit for progress. A busy backend may commit late; a backend that lost a frame never acknowledges it. */
const ACK_TIMEOUT_MS = 60_000;
/** The limits of one frame; a single result may be larger. */
const FRAME = { results: 1000, characters: 512 * 1024 };
const DROPPED_EVERY_MS = 60_000;

interface ResultSocketDeps {
  /** The backends, in the order in which they are tried. */
  readonly backends: readonly AgentAddress[];
  /** Called for each connection; default: the TLS options of Node.js. */
  readonly tls?: () => ConnectionOptions['tls'];
  readonly namespace: string;
  readonly spool: Spool;
  readonly clock: Clock;
  readonly log: Log;
  /** Returns a random number from 0 to below 1, evenly distributed. */
  readonly random: () => number;
  /** Returns the current client record. */
  readonly client: () => Client;
  /** The signature of the client, which the backend adopts and then requires (completion 1.10). */
  readonly signature: string | undefined;
  readonly onWelcome: () => void;
  readonly onCheckRequest: (check: CheckRequest) => void;
}

/** A connection on which the backend has sent its welcome. */
interface Session {
  readonly connection: BackendConnection;
  /** The spool name in the hello of this connection. */
  readonly spool: string;
  readonly sent: SentResults;
  /** The timer that runs while results are unacknowledged. It restarts at each progress. */
  ackDeadline: Disposable | undefined;
}

/**
 * Keeps a connection to a backend and sends the results of the spool: in order, with at most `window` unacknowledged
 * results. After a reconnect it sends unacknowledged results again; the backend ignores those that it has committed.
 * Passing results are sent as deltas of confirmed baselines.
 */
export class ResultSocket {
  readonly #deps: ResultSocketDeps;
  readonly #timers = new DisposableStack();
  /** The timer of the next reconnect, or of the wait for a welcome. */
  #step: Disposable | undefined;
  #connection: BackendConnection | undefined;
  #session: Session | undefined;
  #attempt = 0;
  /**
   * How often in a row another agent with this name replaced this one. Two agents that reconnect at once would replace
   * each other forever.
   */
  #replacements = 0;
  /** The index of the backend that is being tried or was reached last. */
  #at = 0;
  #closed = false;
  #pumping = false;
  #onIdle: (() => void) | undefined;

  constructor(deps: ResultSocketDeps) {
    this.#deps = deps;
    this.#timers.use(deps.clock.every(DROPPED_EVERY_MS, () => this.#reportDropped()));
  }

  /** True from the welcome of a backend until the connection ends. */
  get isConnected(): boolean {
    return this.#session !== undefined;
  }

  /** Sends new results of the spool. Called after a result was added. */
  wake(): void {
    this.#guarded(this.#pump());
  }

  /** Sends a keepalive if a backend is connected. A keepalive is never spooled, because an old one is useless. */
  sendKeepalive(): void {
    this.#session?.connection.send({ type: 'keepalive', client: this.#deps.client() });
  }

  /** Waits until all results are acknowledged, at most `timeoutMs` and only while connected; then disconnects. */
  async close(timeoutMs: number): Promise<void> {
    if (this.#closed) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onIdle = resolve;
    this.#timers.use(this.#deps.clock.after(timeoutMs, resolve));
    this.#checkIdle();
    await promise;
    this.#closed = true;
    this.#step?.[Symbol.dispose]();
    this.#timers.dispose();
    this.#connection?.close('the agent stopped');
    this.#reportDropped();
  }

  get #backend(): AgentAddress {
    const backend = this.#deps.backends[this.#at];
    if (backend === undefined) throw new Error('no backend is configured');
    return backend;
  }

  /** Starts to connect to a backend; until a connection opens, results wait in the spool. Called once. */
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
          this.#nextStep(WELCOME_TIMEOUT_MS, () => connection.close('the backend did not respond to hello'));
        },
        onMessage: (message) => this.#guarded(this.#receive(connection, name, message)),
        onClose: (end) => this.#lost(end),
      },
    );
    this.#connection = connection;
  }

  /** Handles unexpected errors of a step: logs them and reconnects, which sends all results again. */
  #guarded(work: Promise<void>): void {
    work.catch((error: unknown) => {
      this.#deps.log.error({ reason: errorMessage(error) }, 'could not send results to the backend, reconnecting');
      this.#connection?.close('could not send results to the backend, reconnecting');
    });
  }

  #nextStep(delayMs: number, task: () => void): void {
    this.#step?.[Symbol.dispose]();
    this.#step = this.#deps.clock.after(delayMs, task);
  }

  #lost({ reason, refusal, isReplaced = false }: ConnectionEnd): void {
    const { log, random } = this.#deps;
    this.#session?.ackDeadline?.[Symbol.dispose]();
    this.#session = undefined;
    this.#connection = undefined;
    this.#checkIdle();
    if (this.#closed) return;
    this.#replacements = isReplaced ? this.#replacements + 1 : 0;
    const delayMs = isReplaced ? backoffMs(this.#replacements, random(), RECONNECT) : this.#delayOfNext(random());
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
    this.#nextStep(delayMs, () => this.connect());
  }

  /**
   * Selects the next backend.
   *
   * @returns the delay before it is tried: short, until every backend was tried in this round
   */
  #delayOfNext(random: number): number {
    const { length } = this.#deps.backends;
    this.#attempt += 1;
    this.#at = (this.#at + 1) % length;
    const rounds = this.#attempt / length;
    return Number.isInteger(rounds) ? backoffMs(rounds, random, RECONNECT) : backoffMs(0, random, NEXT_BACKEND);
  }

  /** @param spoolName the spool name in the hello of this connection */
  async #receive(connection: BackendConnection, spoolName: string, message: BackendMessage): Promise<void> {
    const { log, onCheckRequest } = this.#deps;
    switch (message.type) {
      case 'welcome':
        await this.#welcome(connection, spoolName, message);
        break;
      case 'ack':
        await this.#acknowledged(message);
        break;
      case 'resend':
        await this.#resend(message.after);
        break;
      case 'rejected':
        await this.#rejected(message);
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
    if (!spool.isOurs(acked)) {
      log.warn(
        { acked, last: spool.lastId },
        'spool is out of date, because the backend already has newer results of this agent: starting a new spool',
      );
      await spool.rename(acked);
      connection.close('a new spool');
      return;
    }
    this.#step?.[Symbol.dispose]();
    this.#attempt = 0;
    // The session is set before the first await, because the next frame may be a check request.
    const sent = new SentResults({ acked, window, signature });
    this.#session = { connection, spool: spoolName, sent, ackDeadline: undefined };
    log.info({ url: this.#backend.url, version, spooled: spool.size }, 'connected to the backend');
    onWelcome();
    await spool.acknowledge(acked, spoolName);
    this.#checkIdle();
    await this.#pump();
  }

  async #rejected({ id, error }: Extract<BackendMessage, { type: 'rejected' }>): Promise<void> {
    const { log, spool } = this.#deps;
    // `rejected` precedes `ack`, so the spool still has the result.
    const [result] = await spool.read(id - 1, { results: 1, characters: FRAME.characters });
    const logFields = result?.id === id ? logFieldsOf(result.text) : {};
    log.error({ id, ...logFields, reason: error }, 'the backend rejected a check result');
  }

  async #acknowledged({ id, baselines }: Extract<BackendMessage, { type: 'ack' }>): Promise<void> {
    const session = this.#session;
    if (session === undefined) return;
    session.sent.acknowledge(id, baselines);
    this.#watchAcks(session);
    await this.#deps.spool.acknowledge(session.sent.ackedId, session.spool);
    this.#checkIdle();
    await this.#pump();
  }

  async #resend(after: number): Promise<void> {
    const session = this.#session;
    if (session === undefined) return;
    if (!session.sent.rewind(after)) {
      session.connection.close('the backend requested results after an id that was never sent');
      return;
    }
    this.#watchAcks(session);
    await this.#pump();
  }

  /** Sends results while the window has room. Only one call runs at a time; its loop also serves concurrent calls. */
  async #pump(): Promise<void> {
    if (this.#pumping) return;
    this.#pumping = true;
    try {
      for (let session = this.#session; session !== undefined; session = this.#session) {
        if (session.spool !== this.#deps.spool.name) {
          // The ids start again, and only another hello can announce that.
          session.connection.close('a new spool');
          return;
        }
        const { remainingWindow, sentId, rewinds } = session.sent;
        // No await here: a call that arrived after the check for new results would not be served.
        if (remainingWindow <= 0 || sentId >= this.#deps.spool.lastId) return;
        const results = await this.#nextResults(session.sent);
        const isOutdated = session.spool !== this.#deps.spool.name || rewinds !== session.sent.rewinds;
        if (session !== this.#session || isOutdated) continue;
        if (results.length === 0) return;
        session.connection.sendText(session.sent.nextFrame(results));
        if (session.ackDeadline === undefined) this.#watchAcks(session);
      }
    } finally {
      this.#pumping = false;
    }
  }

  /** Returns the results after the last one sent, as many as the window and a frame allow. */
  async #nextResults({ remainingWindow, sentId }: SentResults): Promise<readonly SpooledResult[]> {
    const limits = { results: Math.min(remainingWindow, FRAME.results), characters: FRAME.characters };
    return await this.#deps.spool.read(sentId, limits);
  }

  #watchAcks(session: Session): void {
    session.ackDeadline?.[Symbol.dispose]();
    session.ackDeadline = undefined;
    if (session.sent.isAcknowledged) return;
    session.ackDeadline = this.#deps.clock.after(ACK_TIMEOUT_MS, () =>
      session.connection.close('the backend has not acknowledged a result for 60 seconds'),
    );
  }

  #checkIdle(): void {
    // The spool removes results some time after their acknowledgment. Those left would be sent again at the next start.
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
