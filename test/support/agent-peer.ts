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

/** A connection to a backend as an agent has it, that does exactly what the test says. */
export class AgentPeer {
  readonly name: string;
  /** Everything that the backend said, in order. */
  readonly heard: BackendMessage[] = [];
  /** How the connection ended; undefined while it is open. */
  ending: { readonly code: number; readonly reason: string } | undefined;
  /** The highest id that was acknowledged, by the welcome or since. */
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
   * @param namespace that it names in the headers of the upgrade; default: none
   * @param tls what the connection is made with
   * @param key of the API; default: it shows none
   * @throws Error when the backend refuses the connection
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

  /** What it said and the backend has not read yet, but for what the system keeps. */
  get unsentBytes(): number {
    return this.#socket.bufferedAmount;
  }

  say(message: AgentMessage): void {
    this.sayText(JSON.stringify(message));
  }

  sayText(text: string): void {
    this.#socket.send(text);
  }

  /** Says the beginning of a message that it does not end. */
  sayPart(text: string): void {
    this.#socket.send(text, { fin: false });
  }

  /**
   * Says hello without waiting for the answer.
   *
   * @param delta default: absent
   */
  greet(spool = 'spool-1', about: Readonly<Record<string, unknown>> = {}, delta?: boolean): void {
    this.say({
      type: 'hello',
      spool,
      delta,
      client: { name: this.name, address: '192.0.2.1', subscriptions: ['web'], ...about },
    });
  }

  /** Says hello and waits for the welcome. */
  async join(
    spool?: string,
    about?: Readonly<Record<string, unknown>>,
    delta?: boolean,
  ): Promise<Extract<BackendMessage, { type: 'welcome' }>> {
    this.greet(spool, about, delta);
    return await this.hears('welcome');
  }

  /** The first message of this type, as soon as it is there. */
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

  /** The ids of its baselines, from the acks so far. */
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

  /** Reads nothing any more, so that no ping is answered either. */
  deafen(): void {
    this.#socket.pause();
  }

  /** Ends it without a goodbye. */
  cut(): void {
    this.#socket.terminate();
  }
}
