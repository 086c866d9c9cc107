import { WebSocket } from 'ws';
import type { Frame } from './recording.ts';

export interface HeardFrame {
  readonly type: string;
  readonly payload: unknown;
}

/**
 * A simulated agent that behaves like the one of the recorder: it sends JSON in binary messages, and stores all
 * received frames until they are read.
 */
export class PlayedAgent {
  /** HTTP status of the WebSocket handshake. */
  readonly status: number;
  readonly answer: Readonly<Record<string, unknown>>;
  closeReason: { readonly code: number; readonly reason: string } | undefined;
  readonly #receivedFrames: HeardFrame[];
  readonly #socket: WebSocket;

  private constructor(parts: Pick<PlayedAgent, 'status' | 'answer'>, socket: WebSocket, heard: HeardFrame[]) {
    this.status = parts.status;
    this.answer = parts.answer;
    this.#socket = socket;
    this.#receivedFrames = heard;
    socket.on('close', (code, reason) => (this.closeReason = { code, reason: reason.toString() }));
  }

  static async connect(
    url: string,
    identity: {
      readonly name: string;
      readonly namespace: string;
      readonly password: string;
      readonly subscriptions: readonly string[];
      readonly speaksJson: boolean;
    },
  ): Promise<PlayedAgent> {
    const { name, namespace, password, subscriptions, speaksJson } = identity;
    const json = { Accept: 'application/json', 'Content-Type': 'application/json' };
    const socket = new WebSocket(url, {
      perMessageDeflate: false,
      headers: {
        Authorization: `Basic ${Buffer.from(`agent:${password}`).toString('base64')}`,
        'Sensu-AgentName': name,
        'Sensu-Namespace': namespace,
        'Sensu-User': 'agent',
        'Sensu-Subscriptions': subscriptions.join(','),
        ...(speaksJson ? json : {}),
      },
    });
    const heard: HeardFrame[] = [];
    socket.on('message', (data: Buffer) => {
      const text = data.toString();
      const end = text.indexOf('\n');
      heard.push({ type: text.slice(0, end), payload: JSON.parse(text.slice(end + 1)) });
    });
    const { promise, resolve, reject } = Promise.withResolvers<PlayedAgent>();
    let answer: Readonly<Record<string, unknown>> = {};
    socket.on('upgrade', ({ headers }) => (answer = headers));
    socket.on('open', () => resolve(new PlayedAgent({ status: 101, answer }, socket, heard)));
    socket.on('unexpected-response', (_request, { statusCode = 0, headers }) => {
      resolve(new PlayedAgent({ status: statusCode, answer: headers }, socket, heard));
      socket.terminate();
    });
    socket.on('error', reject);
    return await promise;
  }

  sendFrame({ type, payload }: Pick<Frame, 'type' | 'payload'>): void {
    this.#socket.send(Buffer.from(`${type}\n${JSON.stringify(payload)}`));
  }

  /** Number of received frames that the test has not read yet. */
  get unreadCount(): number {
    return this.#receivedFrames.length;
  }

  takeNextFrame(): HeardFrame | undefined {
    return this.#receivedFrames.shift();
  }

  /**
   * Waits until the backend has responded to a ping or has closed the connection. Everything that it sent before has
   * then arrived.
   */
  async catchUp(): Promise<void> {
    if (this.#socket.readyState !== WebSocket.OPEN) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const caughtUp = (): void => resolve();
    this.#socket.once('pong', caughtUp).once('close', caughtUp);
    this.#socket.ping();
    await promise;
    this.#socket.off('close', caughtUp);
  }

  closeGracefully(): void {
    this.#socket.close();
  }

  terminate(): void {
    this.#socket.terminate();
  }
}
