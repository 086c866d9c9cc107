import { WebSocket } from 'ws';
import { vi } from 'vitest';

type Payload = Readonly<Record<string, unknown>>;

interface Identity {
  readonly name?: string;
  readonly namespace?: string;
  readonly subscriptions?: readonly string[];
  readonly credentials?: string;
  readonly key?: string;
  /**
   * Version of the agent, default 6.2.4. Agents of version 6 are configured by the backend, agents of version 5 are
   * not.
   */
  readonly version?: string;
  /** Additional attributes of the agent's entity. */
  readonly entity?: Payload;
}

/** The HTTP response with which a backend rejects a connection. */
export interface Refused {
  readonly status: number;
  readonly body: string;
  readonly type: string | undefined;
}

/**
 * An agent of Sensu Go that uses its documented protocol (clients 6): headers in the upgrade request, and binary
 * messages that consist of a type, a line feed and JSON.
 */
export class GoAgent {
  readonly name: string;
  /** All messages from the backend, in order. */
  readonly heard: { readonly type: string; readonly payload: Payload }[] = [];
  /** Headers of the response to the upgrade request. */
  answer: Readonly<Record<string, unknown>> = {};
  ending: { readonly code: number; readonly reason: string } | undefined;
  pongs = 0;
  readonly #socket: WebSocket;
  readonly #identity: Identity;
  readonly #namespace: string;

  private constructor(socket: WebSocket, identity: Identity) {
    this.name = identity.name ?? 'web-01';
    this.#namespace = identity.namespace ?? 'default';
    this.#identity = identity;
    this.#socket = socket;
    socket.on('upgrade', ({ headers }) => (this.answer = headers));
    socket.on('message', (data: Buffer) => {
      const text = data.toString();
      const end = text.indexOf('\n');
      this.heard.push({ type: text.slice(0, end), payload: JSON.parse(text.slice(end + 1)) as Payload });
    });
    socket.on('pong', () => this.pongs++);
    socket.on('close', (code, reason) => (this.ending = { code, reason: reason.toString() }));
    socket.on('error', () => socket.terminate());
  }

  /** Opens a connection; returns the response if the backend rejects it. */
  static async connect(url: string, identity: Identity = {}): Promise<GoAgent | Refused> {
    const { name = 'web-01', namespace = 'default', subscriptions = ['web'], version = '6.2.4' } = identity;
    const authorization =
      identity.key === undefined
        ? `Basic ${Buffer.from(identity.credentials ?? 'agent:P@ssw0rd!').toString('base64')}`
        : `Key ${identity.key}`;
    const socket = new WebSocket(url, {
      perMessageDeflate: false,
      headers: {
        Authorization: authorization,
        'Sensu-AgentName': name,
        'Sensu-Namespace': namespace,
        'Sensu-User': 'agent',
        'Sensu-Subscriptions': subscriptions.join(','),
        ...(version.startsWith('5.') ? {} : { Accept: 'application/octet-stream' }),
      },
    });
    const agent = new GoAgent(socket, identity);
    const { promise, resolve } = Promise.withResolvers<GoAgent | Refused>();
    socket.on('open', () => resolve(agent));
    socket.on('unexpected-response', (_request, response) => {
      const { statusCode: status = 0 } = response;
      response.setEncoding('utf8');
      response.toArray().then(
        (parts) => resolve({ status, body: parts.join(''), type: response.headers['content-type'] }),
        () => resolve({ status, body: '', type: undefined }),
      );
    });
    return await promise;
  }

  /** Opens a connection; throws an error if the backend rejects it. */
  static async joined(url: string, identity: Identity = {}): Promise<GoAgent> {
    const agent = await GoAgent.connect(url, identity);
    if (!(agent instanceof GoAgent)) throw new Error(`refused: ${JSON.stringify(agent)}`);
    return agent;
  }

  /** The entity that the agent sends: its own attributes, overridden by those that the backend has configured. */
  get entity(): Payload {
    const { subscriptions = ['web'], version = '6.2.4', entity } = this.#identity;
    const told = this.#knowsConfiguration ? this.configurations.at(-1) : undefined;
    const own = {
      entity_class: 'agent',
      system: {
        hostname: this.name,
        os: 'linux',
        platform: 'debian',
        arch: 'amd64',
        network: {
          interfaces: [
            { name: 'lo', addresses: ['127.0.0.1/8'] },
            { name: 'eth0', addresses: ['192.0.2.7/24'] },
          ],
        },
      },
      subscriptions,
      last_seen: 1,
      deregister: false,
      deregistration: {},
      user: 'agent',
      sensu_agent_version: version,
      metadata: { name: this.name, namespace: this.#namespace, labels: null, annotations: null },
      ...entity,
    };
    const isKnown = told !== undefined && (told['metadata'] as Payload)['name'] !== 'not found';
    return isKnown ? { ...own, ...told } : own;
  }

  /** All entity configurations that the backend has sent, in order. */
  get configurations(): Payload[] {
    return this.payloads('entity_config');
  }

  payloads(type: string): Payload[] {
    return this.heard.flatMap((frame) => (frame.type === type ? [frame.payload] : []));
  }

  /** Waits for a payload of this type for which `isWanted` is true, and returns the first one. */
  async hears(type: string, isWanted: (payload: Payload) => boolean = () => true): Promise<Payload> {
    return await vi.waitFor(() => {
      const payload = this.payloads(type).find(isWanted);
      if (payload === undefined) {
        throw new Error(`no such ${type} in ${JSON.stringify(this.heard)}, ${JSON.stringify(this.ending)}`);
      }
      return payload;
    });
  }

  /**
   * Sends a keepalive.
   *
   * @param check attributes of the keepalive's check that override the defaults, such as `interval`, `timeout` and
   * `ttl`
   */
  keepalive(check: Payload = {}): void {
    this.send('keepalive', {
      id: 'aa',
      timestamp: Math.floor(Date.now() / 1000),
      entity: this.entity,
      check: {
        metadata: { name: 'keepalive', namespace: this.#namespace },
        handlers: ['keepalive'],
        interval: 20,
        timeout: 120,
        status: 0,
        output: '',
        ...check,
      },
    });
  }

  /** Sends a keepalive, and waits until the backend has registered the agent. */
  async register(check: Payload = {}): Promise<void> {
    this.keepalive(check);
    await this.hears('entity_config', ({ metadata }) => (metadata as Payload)['name'] === this.name);
  }

  /** Sends the result that a check request asks for, without running the check. */
  answerRequest({ config, issued }: Payload, outcome: { status: number; output: string }): void {
    const { metadata, ...definition } = config as Payload;
    this.event({ ...definition, ...outcome, metadata, issued, executed: issued, duration: 0.25 });
  }

  event(check: Payload, entity: Payload = this.entity): void {
    this.send('event', { id: 'bb', timestamp: Math.floor(Date.now() / 1000), entity, check });
  }

  send(type: string, payload: unknown): void {
    this.sendRaw(Buffer.from(`${type}\n${JSON.stringify(payload)}`));
  }

  sendRaw(data: Buffer | string): void {
    this.#socket.send(data);
  }

  ping(): void {
    this.#socket.ping();
  }

  /** Closes the connection with the code that a stopping agent sends. */
  leave(): void {
    this.#socket.close(1001, 'bye');
  }

  /** Stops reading from the connection, so that pings get no response. */
  pauseReading(): void {
    this.#socket.pause();
  }

  cut(): void {
    this.#socket.terminate();
  }

  async ends(): Promise<{ readonly code: number; readonly reason: string }> {
    return await vi.waitFor(() => {
      if (this.ending === undefined) throw new Error('the connection is still open');
      return this.ending;
    });
  }

  get #knowsConfiguration(): boolean {
    return this.#identity.version?.startsWith('5.') !== true;
  }
}
