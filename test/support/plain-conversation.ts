import type { RequestListener } from 'node:http';
import { onTestFinished, vi } from 'vitest';
import { openApiClient } from '../../shared/client/api-client.ts';
import type { EventRow, FeedRows } from '../../shared/schemas/feed.ts';
import { LinesConsole } from '../../tui/lines/console.ts';
import { eventOf } from './console-rig.ts';
import { SCENE, SCENE_EVENTS } from './console-scene.ts';
import { detailApi } from './detail-scene.ts';
import { FEED_HELLO, startFeedServer, type FeedServer } from './feed-server.ts';
import { ManualClock } from './manual-clock.ts';
import type { ScriptedPlans } from './upgrade-scene.ts';

const POLICY = { reason: 'required', reason_pattern: null, max_expire: null, warn_matches: 50, apply_to_v1: false };

interface Place {
  readonly backend: string;
  readonly readOnly?: boolean;
  readonly namespace?: string | undefined;
  /** Start time of the clock in epoch milliseconds; default: the time that scripted backends announce. */
  readonly nowMs?: number;
}

/** A user of the console in screen-reader mode, with a manual clock. */
export class Person {
  readonly clock: ManualClock;
  readonly running: LinesConsole;
  text = '';

  constructor({ backend, readOnly = false, namespace, nowMs = FEED_HELLO.time }: Place) {
    this.clock = new ManualClock(nowMs);
    this.running = new LinesConsole({
      backend,
      namespace,
      api: async () => openApiClient({ backend, namespace }),
      clock: this.clock,
      creator: 'alice@ops',
      session: 'console-1',
      readOnly,
      write: (text) => (this.text += text),
      random: () => 0.5,
    });
    onTestFinished(() => this.running[Symbol.dispose]());
  }

  /** Waits until the console announces that it is connected. */
  async connected(): Promise<this> {
    await vi.waitFor(() => {
      this.clock.advance(250);
      if (!this.text.includes('Connected: ')) throw new Error(`not connected:\n${this.text}`);
    });
    return this;
  }

  /** Returns the output after the first `from` characters. */
  since(from: number): string {
    return this.text.slice(from);
  }

  /** Types a line, waits until the output ends with the prompt (or contains `until`), and returns the output. */
  async type(line: string, until: string | RegExp = /mon> $/): Promise<string> {
    const from = this.text.length;
    this.running.input(line);
    await vi.waitFor(() => {
      const received = this.since(from);
      const isReceived = typeof until === 'string' ? received.includes(until) : until.test(received);
      if (!isReceived) throw new Error(`waited for ${String(until)}; received:\n${received}`);
    });
    return this.since(from);
  }
}

/** A user of the console in screen-reader mode, with a scripted backend. */
export class Conversation extends Person {
  readonly server: FeedServer;
  readonly bulks: readonly unknown[];
  #seq = 1;

  constructor(server: FeedServer, bulks: readonly unknown[], place: Omit<Place, 'backend'>) {
    super({ ...place, backend: server.url });
    this.server = server;
    this.bulks = bulks;
  }

  async change(rows: Readonly<Record<string, EventRow | null>>): Promise<void> {
    const connection = await this.server.connection(0);
    this.#seq += 1;
    connection.send({ type: 'changes', seq: this.#seq, time: this.clock.now(), rows: { events: rows } });
    // When the response to this ping arrives, the console has received the changes.
    const before = connection.received.length;
    connection.send({ type: 'ping' });
    await vi.waitFor(() => {
      if (connection.received.length === before) throw new Error('no answer to a ping');
    });
  }
}

interface Scene extends Omit<Place, 'backend'> {
  readonly rows?: FeedRows;
  readonly plans?: ScriptedPlans;
}

export async function converse({ rows = SCENE, plans, ...place }: Scene = {}): Promise<Conversation> {
  const bulks: unknown[] = [];
  const http: RequestListener = (request, response) => {
    void (async () => {
      let text = '';
      for await (const chunk of request.setEncoding('utf8')) text += String(chunk);
      response.setHeader('content-type', 'application/json');
      if (plans !== undefined && request.url?.startsWith('/api/mon/v1/upgrades') === true) {
        const seen = {
          method: request.method ?? '',
          path: request.url,
          body: text === '' ? undefined : JSON.parse(text),
        };
        const { status, body } = plans.api(seen);
        return void response.writeHead(status).end(JSON.stringify(body ?? {}));
      }
      if (request.url === '/api/mon/v1/bulk') {
        bulks.push(JSON.parse(text));
        const undo = { op: 'clear', id: 'client:db-014.eu-west-1:postgres-repl', if_timestamp: 1 };
        return void response.end(JSON.stringify({ results: [{ ok: true, undo }] }));
      }
      if (request.url === '/api/mon/v1/silence-policy') return void response.end(JSON.stringify(POLICY));
      const row = SCENE_EVENTS.find(({ client, check }) => request.url === `/events/${client}/${check}`);
      if (row === undefined) {
        const { status, body } = detailApi({ method: request.method ?? '', path: request.url ?? '', body: undefined });
        return void response.writeHead(status).end(JSON.stringify(body ?? {}));
      }
      response.end(JSON.stringify(eventOf(row, { output: 'lag 184 s\nreplica=db-015\n', interval: 30 })));
    })();
  };
  const server = await startFeedServer({
    http,
    onSubscribe: (connection) => connection.send({ type: 'snapshot', seq: 1, rows }, { type: 'live', seq: 1 }),
  });
  return await new Conversation(server, bulks, place).connected();
}
