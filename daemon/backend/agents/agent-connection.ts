import type { RawData } from 'ws';
import { errorMessage, MonError } from '../../../shared/errors.ts';
import { parseJsonStripped } from '../../../shared/domain/json.ts';
import {
  AGENT_WINDOW,
  agentMessageSchema,
  resultsMessageSchema,
  type AgentMessage,
  type BackendMessage,
} from '../../../shared/schemas/agent.ts';
import { clientSchema, type SubmittedClient } from '../../../shared/schemas/client.ts';
import { inSubmittedOrder } from '../../../shared/schemas/submitted-order.ts';
import { DEFAULT_NAMESPACE } from '../../../shared/schemas/namespace.ts';
import { VERSION } from '../../../shared/schemas/version.ts';
import { compileSchema } from '../results/compile-schema.ts';
import { problemsOf } from '../../../shared/schemas/problems.ts';
import { refuseUnknownNamespace } from '../namespaces/unknown-namespace.ts';
import { refuseOtherClient, refuseOtherNamespace } from './agent-certificate.ts';
import type { AgentIdentity } from './agent-access.ts';
import { textFrame, type FrameSocket } from '../sockets/frame-socket.ts';
import { Heartbeat } from '../sockets/heartbeat.ts';
import { LONG_FRAME_BYTES, LongFrames } from '../sockets/long-frames.ts';
import type { OutgoingRequest } from './outgoing-request.ts';
import { ResultStream } from './result-stream.ts';
import { SpoolEvent } from './spool-event.ts';
import type { AgentLink, AdmittedConnectionDependencies, HubCallbacks } from './agent-link.ts';

/** WebSocket close codes: 1008 for a rejected message or rejected credentials, 1013 for a temporary server failure. */
const POLICY_VIOLATION = 1008;
const TRY_AGAIN_LATER = 1013;

type AgentHello = Pick<Extract<AgentMessage, { type: 'hello' }>, 'namespace' | 'spool' | 'delta'>;

const isResultsMessage = compileSchema(resultsMessageSchema);

/** The namespace of an agent, and the client names and namespaces to which its certificate limits it. */
export type IdentityLimits = Pick<AgentIdentity, 'namespace' | 'clientNames' | 'certificateNamespaces'>;

/** The backend's side of the connection to a mon agent. The protocol is described in `schemas/agent.ts`. */
export class AgentConnection implements AgentLink {
  name = '';
  namespace: string;
  subscriptions: readonly string[] = [];
  /** True if `hello` may name any namespace, because neither the handshake nor the credentials determine it. */
  readonly #mayNameNamespace: boolean;
  readonly #clientNames: readonly string[] | undefined;
  readonly #certificateNamespaces: readonly string[] | undefined;
  readonly #socket: FrameSocket;
  readonly #dependencies: AdmittedConnectionDependencies;
  readonly #membership: HubCallbacks;
  readonly #heartbeat: Heartbeat;
  readonly #spoolEvent: SpoolEvent;
  readonly #longFrames: LongFrames;
  /** The stream of results from this agent; undefined before `hello`. */
  #stream: ResultStream | undefined;

  constructor(
    socket: FrameSocket,
    { namespace, clientNames, certificateNamespaces }: IdentityLimits,
    dependencies: AdmittedConnectionDependencies,
    membership: HubCallbacks,
  ) {
    this.namespace = namespace ?? DEFAULT_NAMESPACE;
    this.#mayNameNamespace = namespace === undefined;
    this.#clientNames = clientNames;
    this.#certificateNamespaces = certificateNamespaces;
    this.#socket = socket;
    this.#dependencies = dependencies;
    this.#membership = membership;
    this.#spoolEvent = new SpoolEvent(dependencies);
    this.#longFrames = new LongFrames(socket, (error) => this.#refuse(error));
    socket.on('message', (message, isBinary) => this.#receive(message, isBinary));
    this.#heartbeat = new Heartbeat(socket);
    socket.on('close', () => {
      this.#stream?.end();
      membership.agentLeft();
    });
    // A failed socket also emits `close`, whose listener cleans up.
    socket.on('error', (error) =>
      dependencies.log.debug({ client: this.name, err: error }, 'connection to an agent failed'),
    );
  }

  get cannotSpool(): boolean {
    return this.#spoolEvent.isOpen;
  }

  request({ frame }: OutgoingRequest): boolean {
    return this.#socket.sendFrame(frame);
  }

  close(code: number, reason: string): void {
    this.#socket.close(code, reason);
  }

  beat(): void {
    this.#heartbeat.beat();
  }

  discardBaselines(): void {
    this.#stream?.discardBaselines();
  }

  proceed(): void {
    this.#stream?.proceed();
  }

  #receive(data: RawData, isBinary: boolean): void {
    if (!this.#isListening) return;
    try {
      if (isBinary) throw new MonError('invalid', 'WebSocket frames must be text frames with JSON, not binary');
      // With the default `binaryType` of a server's socket, `data` is a single Buffer.
      const text = (data as Buffer).toString();
      if (text.length >= LONG_FRAME_BYTES || this.#longFrames.isBusy) {
        this.#longFrames.add(text, (message) => {
          if (this.#isListening) this.#handleMessage(message);
        });
      } else this.#handleMessage(parseJsonStripped(text));
    } catch (error) {
      this.#refuse(
        error instanceof SyntaxError ? new MonError('invalid', 'WebSocket frames must contain valid JSON') : error,
      );
    }
  }

  get #isListening(): boolean {
    return this.#stream?.isCancelled !== true && this.#socket.readyState === this.#socket.OPEN;
  }

  /** Processes a message of the agent. @throws MonError `invalid` if it is malformed, or comes before `hello` */
  #handleMessage(message: unknown): void {
    if (isResultsMessage(message)) this.#greetedStream().accept(message);
    else this.#receiveOther(message);
  }

  /** Returns the stream of results. @throws MonError `invalid` if the agent has not sent `hello` */
  #greetedStream(): ResultStream {
    if (this.#stream === undefined) throw new MonError('invalid', 'the first frame must have the type hello');
    return this.#stream;
  }

  #open(spool: string, delta: boolean): ResultStream {
    return new ResultStream(
      {
        namespace: this.namespace,
        client: this.name,
        spool,
        hasNameCertificate: this.#clientNames !== undefined,
        allowsDeltas: delta && this.#dependencies.store.canAmend,
      },
      this.#dependencies,
      {
        send: (message) => this.#send(message),
        pause: () => this.#longFrames.pause(),
        resume: () => this.#longFrames.resume(),
        requestProceed: () => this.#membership.requestProceed(),
        refuse: (error) => this.#refuse(error),
        fail: (error) => this.#fail(error),
      },
    );
  }

  #fail(error: MonError): void {
    if (error.code === 'unauthenticated') this.close(POLICY_VIOLATION, error.message);
    else this.close(TRY_AGAIN_LATER, 'results could not be stored');
    // A paused socket must be read again: the agent's close frame arrives after frames that were not read yet.
    this.#longFrames.resume();
  }

  #receiveOther(message: unknown): void {
    this.#stream?.deliver();
    const parsed = agentMessageSchema.safeParse(message);
    if (!parsed.success) throw new MonError('invalid', problemsOf(parsed.error));
    if (parsed.data.type === 'results') throw new MonError('invalid', 'the frame with results is malformed');
    const client = clientSchema.safeParse(parsed.data.client);
    if (!client.success) throw new MonError('invalid', `client: ${problemsOf(client.error)}`);
    const { data } = parsed;
    const record = inSubmittedOrder(client.data, data.client);
    const done = data.type === 'hello' ? this.#greet(record, data) : this.#keepAlive(record);
    done.catch((error: unknown) => this.#refuse(error));
  }

  async #greet(client: SubmittedClient, { spool, namespace, delta }: AgentHello): Promise<void> {
    if (this.#stream !== undefined)
      throw new MonError('invalid', 'hello was already sent: send only one hello per connection');
    refuseOtherClient(client.name, this.#clientNames);
    if (namespace !== undefined) this.#setNamespace(namespace);
    refuseOtherNamespace(this.namespace, this.#certificateNamespaces);
    this.name = client.name;
    const stream = this.#open(spool, delta === true);
    this.#stream = stream;
    const subscriptions = await this.#register(client);
    const acked = stream.setAckedId(await this.#dependencies.results.committedId(this.namespace, client.name, spool));
    this.#send({ type: 'welcome', version: VERSION, acked, window: AGENT_WINDOW });
    // Once `#join` is called the agent gets check requests, so `welcome` must be sent before.
    this.#join(subscriptions);
  }

  #setNamespace(namespace: string): void {
    if (!this.#mayNameNamespace && namespace !== this.namespace) {
      throw new MonError(
        'forbidden',
        `this connection is for the namespace ${this.namespace}: set agent.namespace to that namespace`,
      );
    }
    refuseUnknownNamespace(this.#dependencies.registry, namespace);
    this.namespace = namespace;
  }

  async #keepAlive(client: SubmittedClient): Promise<void> {
    this.#join(await this.#register(client));
  }

  async #register(client: SubmittedClient): Promise<readonly string[]> {
    if (client.name !== this.name)
      throw new MonError(
        'invalid',
        this.name === ''
          ? 'the first frame must have the type hello'
          : `this connection belongs to the client ${this.name}: use that name, or open another connection`,
      );
    const { subscriptions } = await this.#dependencies.clients.keepalive(
      this.namespace,
      client,
      this.#dependencies.admission,
    );
    await this.#spoolEvent.reportState(this.namespace, client);
    return subscriptions;
  }

  #join(subscriptions: readonly string[]): void {
    const isOpen = this.#socket.readyState === this.#socket.OPEN;
    if (!isOpen || subscriptions.join() === this.subscriptions.join()) return;
    this.subscriptions = subscriptions;
    this.#membership.agentJoined();
  }

  #refuse(error: unknown): void {
    const code = error instanceof MonError ? error.code : 'internal';
    const message = error instanceof MonError ? error.message : 'internal error';
    this.#dependencies.log.warn({ client: this.name, code, reason: errorMessage(error) }, 'agent rejected');
    this.#send({ type: 'error', code, message });
    this.close(code === 'unavailable' ? TRY_AGAIN_LATER : POLICY_VIOLATION, code);
  }

  #send(message: BackendMessage): boolean {
    return this.#socket.sendFrame(textFrame(JSON.stringify(message)));
  }
}
