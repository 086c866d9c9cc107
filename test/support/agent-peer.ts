import { once } from 'node:events';
import type { ConnectionOptions } from 'node:tls';
import { WebSocket } from 'ws';
import { vi } from 'vitest';
import {
  AGENT_NAME_HEADER,
  AGENT_NAMESPACE_HEADER,
  AGENT_PATH,
  AGENT_PROTOCOL,
  backendMessageSchema,
  type AgentMessage,
  type BackendMessage,
} from '../../shared/schemas/agent.ts';

/** A connection that acts as an agent at a backend, controlled by the test. */
export class AgentPeer {
  readonly name: string;
  /** All messages from the backend, in order. */
  readonly heard: BackendMessage[] = [];
  /** Code and reason with which the connection ended; `undefined` while it is open. */
  ending: { readonly code: number; readonly reason: string } | undefined;
  /** The highest acknowledged result id so far, from the welcome message or an acknowledgment. */
  acked = 0;
  readonly #socket: WebSocket;

  private constructor(socket: WebSocket, name: string) {
    this.name = name;
    this.#socket = socket;
    socket.on('message', (data: Buffer) => {
      const message = backendMessageSchema.parse(JSON.parse(data.toString())) as BackendMessage;
      this.heard.push(message);
      if (message.type === 'welcome') this.acked = Math.max(this.acked, message.acked);
      else if (message.type === 'ack') this.acked = Math.max(this.acked, message.id);
    });
    socket.on('close', (code, reason) => (this.ending = { code, reason: reason.toString() }));
    socket.on('error', () => socket.terminate());
  }

  /**
   * Opens a connection to a backend, without a hello message.
   *
   * @param namespace namespace for the headers of the upgrade; default: neither name nor namespace is sent
   * @param tls TLS options of the connection
   * @param key API key; default: none
   * @throws Error if the backend rejects the connection
   */
  static async connect(
    url: string,
    name = 'web-1',
    namespace?: string,
    tls?: ConnectionOptions,
    key?: string,
  ): Promise<AgentPeer> {
    const headers = {
      ...(namespace !== undefined && { [AGENT_NAME_HEADER]: name, [AGENT_NAMESPACE_HEADER]: namespace }),
      ...(key !== undefined && { Authorization: `Key ${key}` }),
    };
    const socket = new WebSocket(url.replace(/^http/, 'ws') + AGENT_PATH, AGENT_PROTOCOL, { ...tls, headers });
    const peer = new AgentPeer(socket, name);
    await once(socket, 'open');
    return peer;
  }

  /** Number of sent bytes that still wait in this process, because the backend does not read. */
  get unsentBytes(): number {
    return this.#socket.bufferedAmount;
  }

  say(message: AgentMessage): void {
    this.sayText(JSON.stringify(message));
  }

  sayText(text: string): void {
    this.#socket.send(text);
  }

  /** Sends the beginning of a WebSocket message, and never its end. */
  sayPart(text: string): void {
    this.#socket.send(text, { fin: false });
  }

  /**
   * Sends a hello message without waiting for the response.
   *
   * @param delta value of the field `delta`, whether the agent sends deltas; default: the field is omitted
   */
  greet(spool = 'spool-1', about: Readonly<Record<string, unknown>> = {}, delta?: boolean): void {
    this.say({
      type: 'hello',
      spool,
      delta,
      client: { name: this.name, address: '192.0.2.1', subscriptions: ['web'], ...about },
    });
  }

  /** Sends a hello message and waits for the welcome message. */
  async join(
    spool?: string,
    about?: Readonly<Record<string, unknown>>,
    delta?: boolean,
  ): Promise<Extract<BackendMessage, { type: 'welcome' }>> {
    this.greet(spool, about, delta);
    return await this.hears('welcome');
  }

  /** Waits for the first message of this type, and returns it. */
  async hears<Type extends BackendMessage['type']>(type: Type): Promise<Extract<BackendMessage, { type: Type }>> {
    const isOfType = (message: BackendMessage): message is Extract<BackendMessage, { type: Type }> =>
      message.type === type;
    return await vi.waitFor(() => {
      const message = this.heard.find(isOfType);
      if (message === undefined)
        throw new Error(`no ${type} in ${JSON.stringify(this.heard)}, ${JSON.stringify(this.ending)}`);
      return message;
    });
  }

  /** Ids of all results that the backend has accepted as baselines. */
  get baselines(): readonly number[] {
    return this.heard.flatMap((message) => (message.type === 'ack' ? (message.baselines ?? []) : []));
  }

  /** Waits until the backend has acknowledged this id. */
  async waitForAck(id: number): Promise<void> {
    await vi.waitFor(() => {
      if (this.acked < id)
        throw new Error(`acknowledged up to ${String(this.acked)}, not ${String(id)}: ${JSON.stringify(this.ending)}`);
    });
  }

  /** Waits until the connection has ended, and returns the code and reason. */
  async ends(): Promise<{ readonly code: number; readonly reason: string }> {
    return await vi.waitFor(() => {
      if (this.ending === undefined) throw new Error('the connection is still open');
      return this.ending;
    });
  }

  /** Stops reading from the connection, so that pings get no response either. */
  pauseReading(): void {
    this.#socket.pause();
  }

  /** Terminates the connection without a close frame. */
  cut(): void {
    this.#socket.terminate();
  }
}
