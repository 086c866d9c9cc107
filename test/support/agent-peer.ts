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

/** An agent's connection to a backend, controlled by the test. */
export class AgentPeer {
  readonly name: string;
  /** All messages of the backend, in order. */
  readonly heard: BackendMessage[] = [];
  /** How the connection ended; `undefined` while it is open. */
  ending: { readonly code: number; readonly reason: string } | undefined;
  /** The highest acknowledged id, from the welcome message or later. */
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
   * Connects.
   *
   * @param namespace sent in the headers of the upgrade; default: none
   * @param tls options of the connection
   * @param key API key; default: none
   * @throws Error when the backend rejects the connection
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

  /** Number of sent bytes that the backend has not read yet, without those in system buffers. */
  get unsentBytes(): number {
    return this.#socket.bufferedAmount;
  }

  say(message: AgentMessage): void {
    this.sayText(JSON.stringify(message));
  }

  sayText(text: string): void {
    this.#socket.send(text);
  }

  /** Sends the beginning of a message without its end. */
  sayPart(text: string): void {
    this.#socket.send(text, { fin: false });
  }

  /**
   * Sends hello without waiting for the response.
   *
   * @param shortens whether deltas are announced; default: not sent
   */
  greet(spool = 'spool-1', about: Readonly<Record<string, unknown>> = {}, delta?: boolean): void {
    this.say({
      type: 'hello',
      spool,
      delta,
      client: { name: this.name, address: '192.0.2.1', subscriptions: ['web'], ...about },
    });
  }

  /** Sends hello and waits for the welcome. */
  async join(
    spool?: string,
    about?: Readonly<Record<string, unknown>>,
    delta?: boolean,
  ): Promise<Extract<BackendMessage, { type: 'welcome' }>> {
    this.greet(spool, about, delta);
    return await this.hears('welcome');
  }

  /** Waits for the first message of this type. */
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

  /** The ids that are known as baselines. */
  get baselines(): readonly number[] {
    return this.heard.flatMap((message) => (message.type === 'ack' ? (message.baselines ?? []) : []));
  }

  /** Waits until this id is acknowledged. */
  async reaches(id: number): Promise<void> {
    await vi.waitFor(() => {
      if (this.acked < id)
        throw new Error(`acknowledged up to ${String(this.acked)}, not ${String(id)}: ${JSON.stringify(this.ending)}`);
    });
  }

  /** Waits for the end of the connection. */
  async ends(): Promise<{ readonly code: number; readonly reason: string }> {
    return await vi.waitFor(() => {
      if (this.ending === undefined) throw new Error('the connection is still open');
      return this.ending;
    });
  }

  /** Stops reading, so that pings get no response either. */
  deafen(): void {
    this.#socket.pause();
  }

  /** Terminates the connection without a close frame. */
  cut(): void {
    this.#socket.terminate();
  }
}
