import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vi } from 'vitest';
import { compose } from '../../../daemon/backend/compose.ts';
import { loadConfig } from '../../../daemon/backend/config/load-config.ts';
import { createFirstAdministrator } from '../../../daemon/backend/accounts/initialize.ts';
import { openLevelStore } from '../../../daemon/backend/store/level-store.ts';
import { openApiClient, type ApiClient } from '../../../shared/client/api-client.ts';
import { SystemClock } from '../../../daemon/clock/system-clock.ts';
import { placesOf } from '../../support/administrator.ts';
import { asking, basic } from '../../support/asking.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { send, type Answer } from '../../support/raw-http.ts';
import { RecordedLog } from '../../support/recorded-log.ts';

const ADMIN = 'admin';
const PASSWORD = 'P@ssw0rd!';

/** Seconds after which the scene logs in again; an access token is valid for longer than that. */
const LOGIN_SECONDS = 240;

/** Interval in milliseconds at which the clock advances while a response is pending. */
const LATE_MS = 500;

const SETTINGS = {
  'entity-limit': 'unlimited',
  'agent-listener': { port: 0 },
  // A listener that only serves the v2 API, so that it has no routes beyond those of the recorded backend.
  'v2-listener': { port: 0 },
  'renotify-after-silence': false,
  'resolve-while-silenced': 'never',
};

/**
 * A backend in the same initial state as the recorded one: with the users admin and agent, the namespace default, and a
 * directory for the output of handlers.
 */
export class V2Scene implements AsyncDisposable {
  readonly clock: ManualClock;
  /** URL of the listener that only serves the v2 API. */
  readonly url: string;
  readonly agentUrl: string;
  readonly dir: string;
  readonly #api: ApiClient;
  readonly #parts: AsyncDisposableStack;
  #token = '';
  #loggedInMs = Number.NEGATIVE_INFINITY;
  /** Length of the text that has already been read, by file in the directory `out`. */
  readonly #readLengths = new Map<string, number>();

  private constructor(
    parts: AsyncDisposableStack,
    api: ApiClient,
    { url, agentUrl, clock, dir }: Pick<V2Scene, 'url' | 'agentUrl' | 'clock' | 'dir'>,
  ) {
    this.#parts = parts;
    this.url = url;
    this.agentUrl = agentUrl;
    this.clock = clock;
    this.dir = dir;
    this.#api = api;
  }

  /**
   * Opens a scene.
   *
   * @param begun time of the recording in epoch seconds; `undefined` for the default time of the manual clock
   */
  static async open(begun: number | undefined): Promise<V2Scene> {
    await using parts = new AsyncDisposableStack();
    const dir = await mkdtemp(join(tmpdir(), 'mon-test-'));
    parts.defer(() => rm(dir, { recursive: true, force: true }));
    await mkdir(join(dir, 'out'));
    const file = join(dir, 'backend.json');
    await writeFile(file, JSON.stringify(SETTINGS));
    const stateDir = join(dir, 'store');
    const openStore = (): ReturnType<typeof openLevelStore> => openLevelStore(stateDir);
    const clock = new ManualClock(begun === undefined ? undefined : begun * 1000);
    const log = new RecordedLog();
    const env = { MON_ADMIN_USERNAME: ADMIN, MON_ADMIN_PASSWORD: PASSWORD };
    // The backend delays a write to fill its batch. With a manual clock it would wait forever, so this step uses the
    // system clock.
    await createFirstAdministrator({ openStore, clock: new SystemClock(), log, env, terminal: undefined });
    const backend = await compose({
      // Sensu Go has no quarantine for agents.
      fixedLimits: { quarantineSeconds: 0 },
      config: await loadConfig({ file, directories: [], env: {} }),
      openStore,
      clock,
      log,
      bind: '127.0.0.1',
      port: 0,
      localDirectories: placesOf(stateDir),
      // The clock stands still while the test waits, so a batch must not wait for more commands.
      batcher: { batchLimit: 1 },
    });
    parts.defer(() => backend.stop());
    await asking(backend.url)('PUT', '/api/core/v2/users/agent', {
      username: 'agent',
      password: PASSWORD,
      groups: ['system:agents'],
      disabled: false,
    });
    const { url, v2Url = '', agentUrl = '' } = backend;
    return new V2Scene(parts.move(), openApiClient({ backend: url }), { url: v2Url, agentUrl, clock, dir });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#parts.disposeAsync();
  }

  /** Logs in as a user and returns the tokens. */
  async logIn(username = ADMIN, password = PASSWORD): Promise<{ readonly access: string; readonly refresh: string }> {
    const headers = { Authorization: basic(username, password) };
    const request = { method: 'GET', target: '/auth', headers };
    // The backend delays logins after failed attempts, also those of other users. No test case fails a login of the
    // administrator, so that login needs no advancing clock.
    const { body, text } = await (username === ADMIN ? this.ask(request) : this.askSlowly(request));
    const { access_token: access, refresh_token: refresh = '' } = (body ?? {}) as Readonly<
      Record<string, string | undefined>
    >;
    if (access === undefined) throw new Error(`no token for ${username}: ${text}`);
    return { access, refresh };
  }

  /** Returns an access token of the administrator; the token is reused as long as it is certainly valid. */
  async token(): Promise<string> {
    if (this.clock.now() - this.#loggedInMs > LOGIN_SECONDS * 1000) {
      this.#loggedInMs = this.clock.now();
      this.#token = (await this.logIn()).access;
    }
    return this.#token;
  }

  async ask(request: Parameters<typeof send>[1]): Promise<Answer> {
    return await send(this.url, request);
  }

  /**
   * Sends a request whose response the backend delays on purpose, such as a failed login, and advances the clock
   * meanwhile.
   */
  async askSlowly(request: Parameters<typeof send>[1]): Promise<Answer> {
    const ticking = setInterval(() => this.clock.advance(LATE_MS), LATE_MS);
    try {
      return await this.ask(request);
    } finally {
      clearInterval(ticking);
    }
  }

  /**
   * Advances the clock in steps. After each step, waits until everything is stored and handled, and then calls `each`.
   */
  async pass(ms: number, each: () => Promise<void> = async () => undefined): Promise<void> {
    for (let left = ms; left > 0; left -= STEP_MS) {
      this.clock.advance(Math.min(left, STEP_MS));
      await this.waitUntilIdle();
      await each();
    }
  }

  /** Waits until the backend has stored all results, and no handler is running or queued. */
  async waitUntilIdle(): Promise<void> {
    await vi.waitFor(async () => {
      const waiting = (await this.#api.info()).transport?.results?.messages;
      if (waiting !== 0) throw new Error(`${String(waiting)} results are not stored`);
      const busy = (await this.#api.handlers()).filter(({ queued, running }) => queued + running > 0);
      if (busy.length > 0) throw new Error(`handlers have not run: ${JSON.stringify(busy)}`);
    });
  }

  /** Returns the lines that handler commands have appended to a file in `out` since the previous call. */
  async newLinesOf(file: string): Promise<string[]> {
    const text = await readFile(join(this.dir, 'out', file), 'utf8').catch(() => '');
    const news = text.slice(this.#readLengths.get(file) ?? 0);
    this.#readLengths.set(file, text.length);
    return news.split('\n').filter((line) => line !== '');
  }
}

/** The interval at which the recorder polled, in milliseconds. */
const STEP_MS = 300;
