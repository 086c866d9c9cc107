import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vi } from 'vitest';
import { openApiClient, type ApiClient } from '../../shared/client/api-client.ts';
import { CuttingProxy } from './cutting-proxy.ts';
import { readRecordedRuns, type RecordedRun } from './recorded-runs.ts';
import { spawnAgent, type AgentProcess } from './start-agent.ts';
import { startDaemon, type DaemonProcess } from './start-daemon.ts';

type Definitions = Readonly<Record<string, unknown>>;

/** A backend and agents in separate processes, with a proxy between them. Disposing of it kills all processes. */
export class AgentFleet implements AsyncDisposable {
  /** Directory for the configuration and state of all processes, and for files that checks write. */
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
   * Starts the backend and the proxy, without agents.
   *
   * @param checks callback that returns the check definitions of the backend; their commands may write to the directory
   */
  static async open(checks: (dir: string) => Definitions = () => ({})): Promise<AgentFleet> {
    const dir = await mkdtemp(join(tmpdir(), 'mon-test-'));
    await writeFile(join(dir, 'backend.json'), JSON.stringify({ checks: checks(dir) }));
    const daemon = await startBackend(dir);
    return new AgentFleet(dir, daemon, await CuttingProxy.open(daemon.url));
  }

  /** URL of the backend, without the proxy. */
  get backendUrl(): string {
    return this.#daemon.url;
  }

  /** URL of the proxy in front of the backend, which is the same after a restart of the backend. */
  get url(): string {
    return this.#network.url;
  }

  get api(): ApiClient {
    return openApiClient({ backend: this.#daemon.url });
  }

  /** Returns the runs that the commands of checks have recorded in the file `runs`. */
  runs(): Promise<RecordedRun[]> {
    return readRecordedRuns(join(this.dir, 'runs'));
  }

  /**
   * Starts an agent, for the first time or again, and waits until it is connected.
   *
   * @param about attributes of the client, and the standalone checks of the agent
   */
  async agent(name: string, { checks = {}, ...client }: Definitions = {}): Promise<AgentProcess> {
    const confDir = join(this.dir, name);
    await mkdir(confDir, { recursive: true });
    // Local sockets are disabled, because other programs may use the default ports.
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

  /** Stops the backend. By default it is killed and cannot clean up. */
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

/** Returns the messages of an agent's log records. */
export function messages({ records }: AgentProcess): string[] {
  return records.map(({ message }) => message);
}

function startBackend(dir: string): Promise<DaemonProcess> {
  return startDaemon({ stateDir: join(dir, 'state'), args: ['--config', join(dir, 'backend.json')] });
}
