import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vi } from 'vitest';
import { openApiClient, type ApiClient } from '../../shared/client/api-client.ts';
import { CuttingProxy } from './cutting-proxy.ts';
import { readDiary, type DiaryRun } from './run-diary.ts';
import { spawnAgent, type AgentProcess } from './start-agent.ts';
import { startDaemon, type DaemonProcess } from './start-daemon.ts';

type Definitions = Readonly<Record<string, unknown>>;

/** A backend and agents in separate processes. Disposing of it kills them all. */
export class AgentFleet implements AsyncDisposable {
  /** Directory for the output of checks. */
  readonly dir: string;
  readonly #parts = new AsyncDisposableStack();
  readonly #network: CuttingProxy;
  #daemon: DaemonProcess;

  private constructor(dir: string, daemon: DaemonProcess, network: CuttingProxy) {
    this.dir = dir;
    this.#daemon = daemon;
    this.#network = network;
    this.#parts.defer(() => rm(dir, { recursive: true, force: true }));
    this.#parts.defer(() => this.#daemon[Symbol.asyncDispose]());
    this.#parts.use(network);
  }

  /**
   * Starts the backend.
   *
   * @param checks definitions of the backend; their commands may write to the directory
   */
  static async open(checks: (dir: string) => Definitions = () => ({})): Promise<AgentFleet> {
    const dir = await mkdtemp(join(tmpdir(), 'mon-test-'));
    await writeFile(join(dir, 'backend.json'), JSON.stringify({ checks: checks(dir) }));
    const daemon = await startBackend(dir);
    return new AgentFleet(dir, daemon, await CuttingProxy.open(daemon.url));
  }

  /** URL of the backend itself, without the proxy. */
  get backendUrl(): string {
    return this.#daemon.url;
  }

  /** URL of the proxy to the backend, which stays the same after a restart. */
  get url(): string {
    return this.#network.url;
  }

  get api(): ApiClient {
    return openApiClient({ backend: this.#daemon.url });
  }

  /** Returns the runs of the checks that write to `diary` in the directory. */
  runs(): Promise<DiaryRun[]> {
    return readDiary(join(this.dir, 'diary'));
  }

  /**
   * Starts an agent, possibly again, and waits until it is connected.
   *
   * @param about attributes of the client, and the checks of its machine
   */
  async agent(name: string, { checks = {}, ...client }: Definitions = {}): Promise<AgentProcess> {
    const confDir = join(this.dir, name);
    await mkdir(confDir, { recursive: true });
    // Other programs may use the default ports.
    const closed = { socket: { enabled: false }, http_socket: { enabled: false } };
    await writeFile(join(confDir, 'agent.json'), JSON.stringify({ client: { ...closed, ...client, name }, checks }));
    const stateDir = join(this.dir, `${name}-state`);
    const agent = spawnAgent(['start', '--backend', this.#network.url, '--state-dir', stateDir, '-d', confDir]);
    this.#parts.use(agent);
    await vi.waitFor(() => {
      if (!messages(agent).includes('connected to the backend')) throw new Error(`${name} has no connection`);
    });
    return agent;
  }

  /** Stops the backend; the default signal gives it no chance to clean up. */
  async stopBackend(signal: 'SIGKILL' | 'SIGTERM' = 'SIGKILL'): Promise<void> {
    await this.#daemon.end(signal);
  }

  async startBackend(): Promise<void> {
    this.#daemon = await startBackend(this.dir);
    this.#network.target = this.#daemon.url;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#parts.disposeAsync();
  }
}

/** Returns the log messages of an agent. */
export function messages({ records }: AgentProcess): string[] {
  return records.map(({ message }) => message);
}

function startBackend(dir: string): Promise<DaemonProcess> {
  return startDaemon({ stateDir: join(dir, 'state'), args: ['--config', join(dir, 'backend.json')] });
}
