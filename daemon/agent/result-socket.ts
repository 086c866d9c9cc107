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
import type { Clock } from './ports.ts';
import { SentResults } from './sent-results.ts';
import type { Spool } from './spool.ts';
import type { SpooledResult } from './unsaved-results.ts';

const RECONNECT = { minMs: 500, maxMs: 30_000 };
/** Of many agents that lose their backend at once, not all come to the next one in the same moment. */
const NEXT_BACKEND = { minMs: 100, maxMs: 1000 };
/** After this long without a welcome the other side is taken for something else. */
const WELCOME_TIMEOUT_MS = 10_000;
/** A backend that is too busy to commit may take its time; one that has lost a frame never answers it. */
const ACK_TIMEOUT_MS = 60_000;
/** Bounds of one frame; a single result may be larger. */
const FRAME = { results: 1000, characters: 512 * 1024 };
const DROPPED_EVERY_MS = 60_000;

interface ResultSocketDeps {
  /** In the order in which they are tried. */
  readonly backends: readonly AgentAddress[];
  /** Asked for each connection; default: as Node.js does. */
  readonly tls?: () => ConnectionOptions['tls'];
  readonly namespace: string;
  readonly spool: Spool;
  readonly clock: Clock;
  readonly log: Log;
  /** 0 to below 1, evenly spread. */
  readonly chance: () => number;
  /** Who we are, as of now. */
  readonly client: () => Client;
  /** Of the client, which the backend adopts and then insists on (completion 1.10). */
  readonly signature: string | undefined;
  readonly onWelcome: () => void;
  readonly onCheckRequest: (check: CheckRequest) => void;
}

/** A connection that was welcomed. */
interface Session {
  readonly connection: BackendConnection;
  /** The name of the spool that the hello gave. */
  readonly spool: string;
  readonly sent: SentResults;
  /** Runs while something is unacknowledged, from the last progress on. */
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
  /** Pending reconnect, or the limit of the wait for a welcome. */
  #step: Disposable | undefined;
  #connection: BackendConnection | undefined;
  #session: Session | undefined;
  #attempt = 0;
  /** How often in a row another agent of this name took our place: two that did so at once would never stop. */
  #replacements = 0;
  /** Of the backends, the one that is tried or was reached last. */
  #at = 0;
  #closed = false;
  #pumping = false;
  #onIdle: (() => void) | undefined;

  constructor(deps: ResultSocketDeps) {
    this.#deps = deps;
    this.#timers.use(deps.clock.every(DROPPED_EVERY_MS, () => this.#reportDropped()));
  }

  /** Whether a backend has said welcome, and has not gone since. */
  get isConnected(): boolean {
    return this.#session !== undefined;
  }

  /** Something new is in the spool. */
  wake(): void {
    this.#guarded(this.#pump());
  }

  /** Sends a keepalive if a backend is connected. An old keepalive would be of no use. */
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
    if (backend === undefined) throw new Error('there is no backend');
    return backend;
  }

  /** Looks for a backend from now on; until then results wait in the spool. Once. */
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
    // Who must not come in is then refused before the connection is opened.
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
          this.#nextStep(WELCOME_TIMEOUT_MS, () => connection.close('the backend did not answer hello'));
        },
        onMessage: (message) => this.#guarded(this.#receive(connection, name, message)),
        onClose: (end) => this.#lost(end),
      },
    );
    this.#connection = connection;
  }

  /** The last resort: no step is expected to fail. If one does, all results are sent again after a reconnect. */
  #guarded(work: Promise<void>): void {
    work.catch((error: unknown) => {
      this.#deps.log.error({ reason: errorMessage(error) }, 'results could not be delivered');
      this.#connection?.close('results could not be delivered');
    });
  }

  #nextStep(delayMs: number, task: () => void): void {
    this.#step?.[Symbol.dispose]();
    this.#step = this.#deps.clock.after(delayMs, task);
  }

  #lost({ reason, refusal, isReplaced = false }: ConnectionEnd): void {
    const { log, chance } = this.#deps;
    this.#session?.ackDeadline?.[Symbol.dispose]();
    this.#session = undefined;
    this.#connection = undefined;
    this.#checkIdle();
    if (this.#closed) return;
    this.#replacements = isReplaced ? this.#replacements + 1 : 0;
    const delayMs = isReplaced ? backoffMs(this.#replacements, chance(), RECONNECT) : this.#delayOfNext(chance());
    const fields = { reason, retry_seconds: delayMs / 1000, spooled: this.#deps.spool.size };
    if (refusal === undefined) log.warn(fields, 'not connected to the backend');
    else {
      // In the words of the peer (reference 7).
      const { status, body } = refusal;
      log.error(
        { error: `handshake failed with status ${String(status)}`, body, ...fields },
        'reconnection attempt failed',
      );
    }
    this.#nextStep(delayMs, () => this.connect());
  }

  /** Turns to the next backend. @returns when to try it: soon, while there is one that was not tried in this round */
  #delayOfNext(chance: number): number {
    const { length } = this.#deps.backends;
    this.#attempt += 1;
    this.#at = (this.#at + 1) % length;
    const rounds = this.#attempt / length;
    return Number.isInteger(rounds) ? backoffMs(rounds, chance, RECONNECT) : backoffMs(0, chance, NEXT_BACKEND);
  }

  /** @param spoolName that the hello of this connection gave */
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
        log.error({ code: message.code, reason: message.message }, 'backend reported an error');
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
        'state directory is older than the state of the backend: starting a new spool',
      );
      await spool.rename(acked);
      connection.close('a new spool');
      return;
    }
    this.#step?.[Symbol.dispose]();
    this.#attempt = 0;
    // Before anything is awaited: the next frame may be a check request.
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
    const about = result?.id === id ? aboutResult(result.text) : {};
    log.error({ id, ...about, reason: error }, 'backend rejected a result');
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

  /** Sends what the window has room for. One at a time; whoever comes meanwhile is served by the loop's condition. */
  async #pump(): Promise<void> {
    if (this.#pumping) return;
    this.#pumping = true;
    try {
      for (let session = this.#session; session !== undefined; session = this.#session) {
        if (session.spool !== this.#deps.spool.name) {
          // Its ids begin anew, which only another hello can say.
          session.connection.close('a new spool');
          return;
        }
        const { room, sentId, rewinds } = session.sent;
        // Not awaited: who comes while it is decided that there is nothing to send would not be served.
        if (room <= 0 || sentId >= this.#deps.spool.lastId) return;
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

  /** What follows on what was sent, as far as the window and a frame have room for it. */
  async #nextResults({ room, sentId }: SentResults): Promise<readonly SpooledResult[]> {
    const limits = { results: Math.min(room, FRAME.results), characters: FRAME.characters };
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
    if (this.#session === undefined || this.#session.sent.ackedId >= this.#deps.spool.lastId) this.#onIdle?.();
  }

  #reportDropped(): void {
    const { spool, log } = this.#deps;
    const dropped = spool.takeDropped();
    if (dropped > 0) log.error({ dropped, spooled: spool.size }, 'spool is full, the oldest results were dropped');
  }
}

/** What people know a spooled result by. */
function aboutResult(text: string): Readonly<Record<string, string>> {
  const { name, source } = JSON.parse(text) as SubmittedResult;
  return { check: name, ...(typeof source === 'string' && { source }) };
}
