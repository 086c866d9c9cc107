import { WebSocket } from 'ws';
import {
  AGENT_NAME_HEADER,
  AGENT_PATH,
  AGENT_PROTOCOL,
  AGENT_WINDOW,
  type BackendMessage,
} from '../../../shared/schemas/agent.ts';

/** Maximum number of unacknowledged results of an agent; more mean that the machine is too slow for the load. */
const WAITING_MAX = 100_000;
/** Pause in milliseconds before the agent connects again. */
const PAUSE_MS = 500;

interface Waiting {
  readonly id: number;
  /** Time in milliseconds when the result was due. */
  readonly dueAt: number;
}

/** An agent that keeps unacknowledged results and reconnects, like a real one. Its results are numbered. */
export class HonestAgent {
  readonly name: string;
  rejected = 0;
  reconnects = 0;
  readonly #url: string;
  readonly #key: string;
  readonly #checks: number;
  readonly #onAck: (ms: number) => void;
  #socket: WebSocket | undefined;
  /** Unacknowledged results, of which the first `#sent` were sent on this connection. */
  #waiting: Waiting[] = [];
  #sent = 0;
  #lastId = 0;
  #ackedId = 0;

  constructor(
    name: string,
    {
      url,
      key,
      checks,
      onAck,
    }: { readonly url: string; readonly key: string; readonly checks: number; readonly onAck: (ms: number) => void },
  ) {
    this.name = name;
    this.#url = url;
    this.#key = key;
    this.#checks = checks;
    this.#onAck = onAck;
    this.#connect();
  }

  get isConnected(): boolean {
    return this.#socket !== undefined;
  }

  get isDrained(): boolean {
    return this.#waiting.length === 0;
  }

  /** Adds a result that is due now. It is sent by the next `flush`. */
  report(): void {
    if (this.#waiting.length >= WAITING_MAX) throw new Error(`${this.name} has ${String(WAITING_MAX)} results waiting`);
    this.#waiting.push({ id: ++this.#lastId, dueAt: performance.now() });
  }

  /** Sends as many results as the window of unacknowledged results allows. */
  flush(): void {
    const end = Math.min(this.#waiting.length, AGENT_WINDOW);
    if (this.#socket === undefined || end <= this.#sent) return;
    const results = this.#waiting.slice(this.#sent, end).map(({ id }) => ({ id, check: this.#checkOf(id) }));
    this.#sent = end;
    this.#socket.send(JSON.stringify({ type: 'results', results }));
  }

  /** Returns the output of the last acknowledged result of each check. */
  last(): Record<string, string> {
    const last: Record<string, string> = {};
    for (let id = Math.max(1, this.#ackedId - this.#checks + 1); id <= this.#ackedId; id++) {
      const { name, output } = this.#checkOf(id);
      last[name] = output;
    }
    return last;
  }

  #checkOf(id: number): { name: string; output: string; status: number; issued: number } {
    const check = id % this.#checks;
    const round = Math.floor(id / this.#checks);
    // Every twentieth check fails in every fifth round.
    const status = check % 20 === 0 && round % 5 === 0 ? 2 : 0;
    return {
      name: `check-${String(check)}`,
      output: `number ${String(id)}`,
      status,
      issued: Math.floor(Date.now() / 1000),
    };
  }

  #connect(): void {
    const { name } = this;
    const socket = new WebSocket(this.#url.replace('http', 'ws') + AGENT_PATH, AGENT_PROTOCOL, {
      perMessageDeflate: false,
      headers: { Authorization: `Key ${this.#key}`, [AGENT_NAME_HEADER]: name },
    });
    const client = { name, address: '127.0.0.1', subscriptions: ['honest'] };
    socket.on('open', () => socket.send(JSON.stringify({ type: 'hello', client, spool: 'honest' })));
    socket.on('message', (data: Buffer) => this.#receive(socket, JSON.parse(data.toString()) as BackendMessage));
    socket.on('error', () => socket.terminate());
    socket.on('close', () => {
      this.#socket = undefined;
      this.#sent = 0;
      this.reconnects++;
      setTimeout(() => this.#connect(), PAUSE_MS);
    });
  }

  #receive(socket: WebSocket, message: BackendMessage): void {
    switch (message.type) {
      case 'welcome':
        this.#acknowledge(message.acked);
        this.#socket = socket;
        this.#sent = 0;
        this.flush();
        break;
      case 'ack':
        this.#acknowledge(message.id);
        this.flush();
        break;
      case 'rejected':
        this.rejected++;
        break;
      // This agent sends only full results, so the backend never requests one again.
      case 'resend':
      case 'check_request':
      case 'error':
        break;
    }
  }

  #acknowledge(id: number): void {
    const now = performance.now();
    let count = 0;
    for (const waiting of this.#waiting) {
      if (waiting.id > id) break;
      this.#onAck(now - waiting.dueAt);
      count++;
    }
    this.#waiting.splice(0, count);
    this.#sent = Math.max(0, this.#sent - count);
    this.#ackedId = Math.max(this.#ackedId, id);
  }
}
