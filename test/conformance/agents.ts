import { randomUUID } from 'node:crypto';
import { on, once } from 'node:events';
import { WebSocket } from 'ws';
import { AGENT_PATH, AGENT_PROTOCOL, type BackendMessage } from '../../shared/schemas/agent.ts';

type Client = Readonly<Record<string, unknown>>;

interface PublishedResult {
  readonly client: string;
  readonly signature?: string;
  readonly check: Readonly<Record<string, unknown>>;
}

/** Sends the messages of recorded clients over the agent protocol, with one connection for each message. */
export class Agents {
  readonly #url: string;
  readonly #storedClients = new Map<string, Client>();

  /** @param url the URL of the backend */
  constructor(url: string) {
    this.#url = url.replace(/^http/, 'ws') + AGENT_PATH;
  }

  /** Sends one recorded message, and resolves when the backend has accepted or rejected it. */
  async publish(pipe: string, payload: unknown): Promise<void> {
    if (typeof payload === 'string') await this.#converse([payload]);
    else if (pipe === 'keepalives') await this.#keepalive(payload as Client);
    else await this.#sendResult(payload as PublishedResult);
  }

  async #keepalive(client: Client): Promise<void> {
    const [answer] = await this.#converse([hello(client)]);
    if (answer === 'welcome') this.#storedClients.set(String(client['name']), client);
  }

  async #sendResult({ client: name, signature, check }: PublishedResult): Promise<void> {
    // Sensu Core creates a client for a result of an unknown sender; this is that client.
    const client = this.#storedClients.get(name) ?? { name, address: 'unknown', keepalives: false };
    const result = { id: 1, ...(signature === undefined ? {} : { signature }), check };
    await this.#converse([hello(client), JSON.stringify({ type: 'results', results: [result] })]);
  }

  /**
   * Sends frames one after the other on a new connection.
   *
   * @returns the type of the response to each frame
   */
  async #converse(frames: readonly string[]): Promise<string[]> {
    const socket = new WebSocket(this.#url, AGENT_PROTOCOL);
    const messages = on(socket, 'message') as AsyncIterableIterator<[Buffer]>;
    await once(socket, 'open');
    const answers: string[] = [];
    for (const frame of frames) {
      socket.send(frame);
      let type: string;
      // A rejection of a single result arrives before the acknowledgment.
      do type = typeOf(await messages.next());
      while (type === 'rejected');
      answers.push(type);
    }
    socket.terminate();
    return answers;
  }
}

function typeOf({ value: [data] }: IteratorResult<[Buffer], [Buffer]>): string {
  return (JSON.parse(data.toString()) as BackendMessage).type;
}

function hello(client: Client): string {
  return JSON.stringify({ type: 'hello', client, spool: randomUUID() });
}
