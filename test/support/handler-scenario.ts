import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished, vi } from 'vitest';
import { compose, type Backend } from '../../daemon/backend/compose.ts';
import { loadConfig } from '../../daemon/backend/config/load-config.ts';
import { openLevelStore } from '../../daemon/backend/store/level-store.ts';
import { openApiClient, type ApiClient } from '../../shared/client/api-client.ts';
import type { HandledEvent } from '../../shared/schemas/handler-job.ts';
import { placesOf } from './administrator.ts';
import { ManualClock } from './manual-clock.ts';
import { RecordedLog } from './recorded-log.ts';
import { tempDir } from './temp-dir.ts';

type Attributes = Readonly<Record<string, unknown>>;

/**
 * A configuration. Handlers without a type become pipe handlers that append their input to a file, one line per
 * notification.
 */
type Settings = Attributes & { readonly handlers?: Readonly<Record<string, object>> };

/**
 * Returns a command that appends its input to a file in a single write, because several may append concurrently. The
 * dot keeps trailing newlines, which the shell would remove.
 */
function appendTo(file: string): string {
  return `text=$(cat; echo .); printf '%s\\n' "\${text%.}" >> ${file}`;
}

/**
 * A complete backend in this process, on a real store and with a manual clock. Its handlers run as real processes and
 * use real sockets. It is stopped when the test finishes.
 */
export class HandlerScenario {
  readonly clock = new ManualClock();
  readonly log = new RecordedLog();
  /** Directory of the configuration, the store and the files that handlers write. */
  readonly dir: string;
  readonly #hasAdministrator: boolean;
  #backend: Backend | undefined;
  /** Number of lines of each handler's file that were already returned. */
  readonly #read = new Map<string, number>();

  private constructor(dir: string, hasAdministrator: boolean) {
    this.dir = dir;
    this.#hasAdministrator = hasAdministrator;
  }

  /**
   * Starts the backend with these settings.
   *
   * @param hasAdministrator true if clients in this process have the local administrator token
   */
  static async open(
    settings: Settings = { handlers: { default: {} } },
    { hasAdministrator = false }: { readonly hasAdministrator?: boolean } = {},
  ): Promise<HandlerScenario> {
    const scenario = new HandlerScenario(await tempDir(), hasAdministrator);
    onTestFinished(() => scenario.stop());
    await scenario.configure(settings);
    await scenario.start();
    return scenario;
  }

  /** Writes the configuration file. It takes effect at the next start or reload. */
  async configure({ handlers = {}, ...rest }: Settings): Promise<void> {
    const defined = Object.entries(handlers).map(([name, attributes]) => [
      name,
      {
        ...('type' in attributes ? {} : { type: 'pipe', command: appendTo(this.#file(name)) }),
        ...attributes,
      },
    ]);
    await writeFile(join(this.dir, 'backend.json'), JSON.stringify({ ...rest, handlers: Object.fromEntries(defined) }));
  }

  async start(): Promise<void> {
    const { clock, log } = this;
    const load = () => loadConfig({ file: join(this.dir, 'backend.json'), directories: [], env: {} });
    this.#backend = await compose({
      config: await load(),
      loadConfig: load,
      openStore: () => openLevelStore(join(this.dir, 'store')),
      clock,
      log,
      bind: '127.0.0.1',
      port: 0,
      ...(this.#hasAdministrator && { localDirectories: placesOf(this.dir) }),
      // With more than one command per batch, a batch would wait for its delay, which never ends while the clock stands
      // still.
      batcher: { batchLimit: 1 },
    });
  }

  async stop(): Promise<void> {
    const backend = this.#backend;
    this.#backend = undefined;
    await backend?.stop();
  }

  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  async reload(settings: Settings): Promise<void> {
    await this.configure(settings);
    await this.#running.reload();
  }

  get url(): string {
    return this.#running.url;
  }

  get api(): ApiClient {
    return openApiClient({ backend: this.url });
  }

  /** The current time in epoch seconds. */
  get now(): number {
    return this.clock.now() / 1000;
  }

  /** Submits a result through the API, by default of the check `disk` on the client `web-1`. */
  async report(status: number, attributes: Attributes = {}): Promise<void> {
    const output = `status ${String(status)}`;
    await this.api.submitResult({ source: 'web-1', name: 'disk', output, status, ...attributes });
  }

  /** Advances the clock step by step, and waits after each step until all results are stored and handled. */
  async pass(seconds: number, stepSeconds = 30): Promise<void> {
    // Handlers that still run would reach their timeout when the clock advances.
    await this.settled();
    for (let left = seconds; left > 0; left -= stepSeconds) {
      this.clock.advance(Math.min(left, stepSeconds) * 1000);
      await this.settled();
    }
  }

  /** Waits until all results are stored, and no notification is queued or running. */
  async settled(): Promise<void> {
    await vi.waitFor(async () => {
      const waiting = (await this.api.info()).transport?.results?.messages;
      if (waiting !== 0) throw new Error(`${String(waiting)} results are not stored`);
      const busy = (await this.api.handlers()).filter(({ queued, running }) => queued + running > 0);
      if (busy.length > 0) throw new Error(`handlers have not run: ${JSON.stringify(busy)}`);
    });
  }

  /** Waits until all notifications are sent, and returns the lines that a handler has written since the last call. */
  async lines(handler = 'default'): Promise<string[]> {
    await this.settled();
    const text = await readFile(this.#file(handler), 'utf8').catch(() => '');
    const lines = text.split('\n').slice(this.#read.get(handler) ?? 0, -1);
    this.#read.set(handler, (this.#read.get(handler) ?? 0) + lines.length);
    return lines;
  }

  /** Returns the events that a handler has written since the last call. */
  async notifications(handler = 'default'): Promise<HandledEvent[]> {
    return (await this.lines(handler)).map((line) => JSON.parse(line) as HandledEvent);
  }

  /** Returns action and status of each event that a handler has written since the last call, such as `create 2`. */
  async actions(handler = 'default'): Promise<string[]> {
    return (await this.notifications(handler)).map(({ action, check }) => `${action} ${String(check.status)}`);
  }

  /** Returns the log records with one of these messages. */
  logRecords(...messages: readonly string[]): RecordedLog['records'] {
    return this.log.records.filter(({ message }) => messages.includes(message));
  }

  get #running(): Backend {
    if (this.#backend === undefined) throw new Error('the backend was stopped');
    return this.#backend;
  }

  #file(handler: string): string {
    return join(this.dir, `${handler}.lines`);
  }
}
