import type { RequestListener } from 'node:http';
import { onTestFinished, vi } from 'vitest';
import { openApiClient } from '../../shared/client/api-client.ts';
import type { Event } from '../../shared/schemas/event.ts';
import type { EventRow, FeedMessage, FeedRows, FeedStats } from '../../shared/schemas/feed.ts';
import { eventKey } from '../../shared/domain/event-key.ts';
import { openConsole, type ConsoleDependencies } from '../../tui/console.tsx';
import { FrameStdout } from '../../tui/terminal/frame-stdout.ts';
import { KeyDecoder } from '../../tui/terminal/key-decoder.ts';
import type { TerminalDevice } from '../../tui/terminal/terminal-device.ts';
import type { Theme } from '../../tui/text/theme.ts';
import {
  FEED_HELLO,
  startFeedServer,
  type FeedConnection,
  type FeedServer,
  type FeedServerOptions,
} from './feed-server.ts';
import { ManualClock } from './manual-clock.ts';
import { Screen } from './screen.ts';
import type { ShownBackend } from '../../tui/effects/shown-backend.ts';

/** An API request that the console sent to the backend. */
export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
}

export interface RigOptions {
  readonly columns?: number;
  readonly rows?: number;
  readonly theme?: Theme;
  readonly readOnly?: boolean;
  /** The snapshot that each subscriber gets; if omitted, the console gets none. */
  readonly snapshot?: FeedRows;
  /** Returns the response to an API request; default: status 404. */
  readonly api?: (request: SeenRequest) => { readonly status: number; readonly body?: unknown };
  /** Returns a promise that delays the response to a request; default: no delay. */
  readonly hold?: (request: SeenRequest) => Promise<void> | undefined;
  /**
   * Callback for subscriptions to groups or inhibitions. By default they are rejected, as an earlier version of the
   * backend rejects them.
   */
  readonly noise?: NonNullable<FeedServerOptions['onNoise']>;
  readonly server?: FeedServer;
  /** Settings of the console that come from its configuration file. */
  readonly parts?: Pick<
    ConsoleDependencies,
    'contexts' | 'isTmux' | 'kept' | 'loadTmuxBuffer' | 'opened' | 'ownCommands' | 'saveView' | 'session' | 'suspend'
  > &
    Partial<ShownBackend>;
}

/** The complete console on a virtual terminal, with a scripted backend and a manual clock. */
export class ConsoleRig {
  readonly screen: Screen;
  readonly clock: ManualClock;
  readonly server: FeedServer;
  readonly requests: readonly SeenRequest[];
  /** Number of times the console asked to quit. */
  quits = 0;
  readonly #decoder: KeyDecoder;
  #seq = 1;

  constructor(server: FeedServer, requests: readonly SeenRequest[], options: RigOptions) {
    const { columns = 120, rows = 36, theme = { color: true, ascii: false }, readOnly = false } = options;
    this.server = server;
    this.requests = requests;
    this.screen = new Screen({ columns, rows });
    this.clock = new ManualClock();
    this.clock.advance(FEED_HELLO.time - ManualClock.START_MS);
    const after = (delayMs: number, task: () => void): Disposable => this.clock.after(delayMs, task);
    const running = openConsole({
      backend: server.url,
      api: async (namespace) => openApiClient({ backend: server.url, namespace }),
      stdout: new FrameStdout(lineDiscipline(this.screen), this.screen, after),
      clock: this.clock,
      theme,
      creator: 'alice@ops',
      readOnly,
      random: () => 0.5,
      ...options.parts,
      onQuit: () => (this.quits += 1),
    });
    this.#decoder = new KeyDecoder({ emit: (event) => running.input(event), after });
    onTestFinished(() => {
      running[Symbol.dispose]();
      this.#decoder[Symbol.dispose]();
      this.screen.dispose();
    });
  }

  /** Types keys as a terminal sends them, in one chunk. */
  type(keys: string): void {
    this.#decoder.feed(keys);
  }

  /** Types Esc, and advances the clock: an Esc byte is a key only if no other byte follows soon. */
  escape(): void {
    this.#decoder.feed('\u001B');
    this.clock.advance(20);
  }

  async connection(): Promise<FeedConnection> {
    return this.server.connection(this.server.connections.length === 0 ? 0 : this.server.connections.length - 1);
  }

  async send(...messages: readonly FeedMessage[]): Promise<void> {
    (await this.connection()).send(...messages);
  }

  async change(rows: FeedRows): Promise<void> {
    this.#seq += 1;
    await this.send({ type: 'changes', seq: this.#seq, time: this.clock.now(), rows });
  }

  async stats(stats: FeedStats): Promise<void> {
    await this.send({ type: 'stats', time: this.clock.now(), stats });
  }

  /** Draws until the screen contains all texts, for up to the default time of `vi.waitFor`. */
  async shows(...texts: readonly (string | RegExp)[]): Promise<void> {
    await this.#until(() => {
      for (const text of texts) {
        const isThere = typeof text === 'string' ? this.screen.text.includes(text) : text.test(this.screen.text);
        if (!isThere) throw new Error(`waited for ${String(text)}; the screen is:\n${this.screen.text}`);
      }
    });
  }

  async showsNo(text: string): Promise<void> {
    await this.#until(() => {
      if (this.screen.text.includes(text)) throw new Error(`${text} is still there:\n${this.screen.text}`);
    });
  }

  /** Returns the first screen line that contains the text; if there is none, a description of the failure. */
  row(text: string): string {
    return this.screen.lines.find((line) => line.includes(text)) ?? `no row with ${text}:\n${this.screen.text}`;
  }

  /** Advances the clock by `ms`, and waits until the screen is up to date. */
  async pass(ms: number): Promise<void> {
    this.clock.advance(ms);
    this.#drawDue();
    await new Promise((resolve) => void setImmediate(resolve));
    await this.screen.settled();
  }

  async #until(check: () => void): Promise<void> {
    await vi.waitFor(async () => {
      await this.screen.settled();
      try {
        check();
      } catch (error) {
        // Time does not advance here, so that the golden screens always show the same times.
        this.#drawDue();
        throw error;
      }
    });
  }

  /** Makes the console draw pending changes without advancing the clock, by sending it a focus event. */
  #drawDue(): void {
    this.type('\u001B[I');
  }
}

/**
 * Returns an output device that converts each line feed to a carriage return and a line feed, as a terminal driver
 * does.
 */
function lineDiscipline(screen: Screen): TerminalDevice {
  return {
    write: (bytes) => {
      screen.feed(Buffer.from(bytes).toString().replaceAll('\n', '\r\n'));
      return bytes.length;
    },
    close: () => {},
  };
}

export async function openRig(options: RigOptions = {}): Promise<ConsoleRig> {
  const requests: SeenRequest[] = [];
  const server = options.server ?? (await scriptedBackend(options, requests));
  const rig = new ConsoleRig(server, requests, options);
  if (options.server === undefined && options.snapshot !== undefined) await rig.shows(/LIVE|too small/);
  return rig;
}

async function scriptedBackend(options: RigOptions, requests: SeenRequest[]): Promise<FeedServer> {
  const { snapshot, api, hold } = options;
  const http: RequestListener = (incoming, outgoing) => {
    void (async () => {
      let text = '';
      for await (const chunk of incoming.setEncoding('utf8')) text += String(chunk);
      const request = {
        method: incoming.method ?? '',
        path: incoming.url ?? '',
        body: text === '' ? undefined : (JSON.parse(text) as unknown),
      };
      requests.push(request);
      await hold?.(request);
      const { status, body } = api?.(request) ?? { status: 404 };
      outgoing.writeHead(status, { 'content-type': 'application/json' });
      outgoing.end(body === undefined ? '' : JSON.stringify(body));
    })();
  };
  return startFeedServer({
    http,
    ...(snapshot !== undefined && {
      onSubscribe: (connection) =>
        connection.send({ type: 'snapshot', seq: 1, rows: snapshot }, { type: 'live', seq: 1 }),
    }),
    ...(options.noise !== undefined && { onNoise: options.noise }),
  });
}

/** Returns the rows by their keys, in the form of a feed message. */
export function byKey(rows: readonly EventRow[]): Readonly<Record<string, EventRow>> {
  return Object.fromEntries(rows.map((row) => [eventKey(row.client, row.check), row]));
}

/** Returns a full event that corresponds to a row, with overrides for its check. */
export function eventOf(row: EventRow, check: Readonly<Record<string, unknown>> = {}): Event {
  return {
    id: '4b2e7a52-0c5e-4bb0-9a1c-6f4f0a3f6f01',
    client: {
      name: row.client,
      address: '192.0.2.14',
      subscriptions: ['linux', `client:${row.client}`],
      timestamp: row.last,
      version: '1.0.0',
    },
    check: {
      name: row.check,
      status: row.status,
      output: row.output,
      issued: row.last,
      executed: row.last,
      history: [
        ...Array.from({ length: 10 }, () => '0'),
        '1',
        '1',
        ...Array.from({ length: 9 }, () => String(row.status)),
      ],
      total_state_change: 11,
      ...check,
    },
    occurrences: row.occurrences,
    occurrences_watermark: row.occurrences,
    last_ok: row.since - 30,
    action: row.action,
    timestamp: row.last,
    last_state_change: row.since,
    silenced: row.silenced_by.length > 0,
    silenced_by: row.silenced_by,
  };
}
