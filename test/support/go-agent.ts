import { WebSocket } from 'ws';
import { vi } from 'vitest';

type Payload = Readonly<Record<string, unknown>>;

interface Identity {
  readonly name?: string;
  readonly namespace?: string;
  readonly subscriptions?: readonly string[];
  readonly credentials?: string;
  readonly key?: string;
  /** Version 6.x is configured by the backend, 5.x is not. */
  readonly version?: string;
  /** Attributes of its entity. */
  readonly entity?: Payload;
}

/** The response of a backend that rejects the connection. */
export interface Refused {
  readonly status: number;
  readonly body: string;
  readonly type: string | undefined;
}

/**
 * An agent of Sensu Go with the documented protocol (clients 6): headers on the upgrade, and binary messages of
 * a type, a line feed and JSON.
 */
export class GoAgent {
  readonly name: string;
  /** All messages of the backend, in order. */
  readonly heard: { readonly type: string; readonly payload: Payload }[] = [];
  /** Headers of the response to the upgrade. */
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

  /** Connects, or returns the rejection. */
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

  /** Connects, which must succeed. */
  static async joined(url: string, identity: Identity = {}): Promise<GoAgent> {
    const agent = await GoAgent.connect(url, identity);
    if (!(agent instanceof GoAgent)) throw new Error(`refused: ${JSON.stringify(agent)}`);
    return agent;
  }

  /** The agent's entity, as it describes itself or as the backend has configured it. */
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

  /** The configurations that it received. */
  get configurations(): Payload[] {
    return this.payloads('entity_config');
  }

  payloads(type: string): Payload[] {
    return this.heard.flatMap((frame) => (frame.type === type ? [frame.payload] : []));
  }

  /** Waits for the first payload of this type that matches. */
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
   * @param check `interval`, `timeout` and `ttl` as in its settings
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

  /** Sends a keepalive and waits until the backend has registered the agent. */
  async register(check: Payload = {}): Promise<void> {
    this.keepalive(check);
    await this.hears('entity_config', ({ metadata }) => (metadata as Payload)['name'] === this.name);
  }

  /** Sends a result for a check request, as if the check had run. */
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

  /** Closes the connection like an agent that is stopped. */
  leave(): void {
    this.#socket.close(1001, 'bye');
  }

  /** Stops reading. */
  deafen(): void {
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
