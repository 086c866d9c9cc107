import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { vi } from 'vitest';
import { agentAddress } from '../../daemon/agent/agent-address.ts';
import { clientIdentity } from '../../daemon/agent/client-record.ts';
import { composeAgent, type Agent } from '../../daemon/agent/compose.ts';
import type { Backend } from '../../daemon/backend/compose.ts';
import { openApiClient, type ApiClient } from '../../shared/client/api-client.ts';
import { checkSchema } from '../../shared/schemas/check.ts';
import { CuttingProxy } from './cutting-proxy.ts';
import { ManualClock } from './manual-clock.ts';
import { openBackend } from './open-backend.ts';
import { RecordedLog } from './recorded-log.ts';
import { readRecordedRuns, type RecordedRun } from './recorded-runs.ts';

type Attributes = Readonly<Record<string, unknown>>;
type Definitions = Readonly<Record<string, Attributes>>;

interface ClockedAgent {
  readonly log: RecordedLog;
  stop(): Promise<void>;
}

/** A backend and agents in this process, with a common manual clock. Check commands run as real processes. */
export class ClockedFleet implements AsyncDisposable {
  readonly clock: ManualClock;
  /** Directory for the state of the backend and the agents, and for files that checks write. */
  readonly dir: string;
  readonly log = new RecordedLog();
  readonly #checks: Definitions;
  readonly #parts = new AsyncDisposableStack();
  readonly #network: CuttingProxy;
  #backend: Backend | undefined;

  private constructor(dir: string, clock: ManualClock, checks: Definitions, network: CuttingProxy) {
    this.dir = dir;
    this.clock = clock;
    this.#checks = checks;
    this.#network = network;
    this.#parts.defer(() => rm(dir, { recursive: true, force: true }));
    this.#parts.defer(() => this.stopBackend());
    this.#parts.use(network);
  }

  /**
   * Starts the backend and a proxy in front of it, without agents.
   *
   * @param startMs start time of the clock in epoch milliseconds
   * @param checks check definitions of the backend, or a callback that returns them for commands that write to the
   * directory
   */
  static async open(startMs: number, checks: Definitions | ((dir: string) => Definitions) = {}): Promise<ClockedFleet> {
    const dir = await mkdtemp(join(tmpdir(), 'mon-test-'));
    const defined = typeof checks === 'function' ? checks(dir) : checks;
    const network = await CuttingProxy.open('http://127.0.0.1:1');
    const fleet = new ClockedFleet(dir, new ManualClock(startMs), defined, network);
    await fleet.startBackend();
    return fleet;
  }

  /** URL of the backend; it changes with each start. */
  get url(): string {
    if (this.#backend === undefined) throw new Error('the backend was stopped');
    return this.#backend.url;
  }

  get api(): ApiClient {
    return openApiClient({ backend: this.url });
  }

  /** Returns the runs that the commands of checks have recorded in the file `runs`. */
  runs(): Promise<RecordedRun[]> {
    return readRecordedRuns(join(this.dir, 'runs'));
  }

  /**
   * Starts an agent, for the first time or again, and waits until the backend has accepted it.
   *
   * @param about attributes of the client, and the standalone checks of the agent
   */
  async agent(
    name: string,
    { checks = {}, ...client }: Attributes & { readonly checks?: Definitions } = {},
  ): Promise<ClockedAgent> {
    const log = new RecordedLog();
    const closed = { socket: { enabled: false }, http_socket: { enabled: false } };
    const agent = await composeAgent(
      {
        backends: [agentAddress(this.#network.url, {})],
        identity: clientIdentity({ name }, { address: '192.0.2.1', ...closed, ...client }),
        checks: parsed(checks),
        settings: {},
        files: [],
        stateDir: join(this.dir, name),
        runningMax: 10,
        namespace: 'default',
      },
      { clock: this.clock, log, random: () => 0.5 },
    );
    agent.connect();
    const stop = stopOnce(agent);
    this.#parts.defer(stop);
    await vi.waitFor(() => {
      if (!log.messages('info').includes('connected to the backend')) throw new Error(`${name} has no connection`);
    });
    return { log, stop };
  }

  /**
   * Advances the clock step by step, and waits after each step until all results are stored.
   *
   * @param stepSeconds step in seconds, at most 10: with longer steps, pings would time out and connections would end
   */
  async pass(seconds: number, stepSeconds = 1): Promise<void> {
    for (let left = seconds; left > 0; left -= stepSeconds) {
      this.clock.advance(Math.min(left, stepSeconds) * 1000);
      await this.#settled();
    }
  }

  async stopBackend(): Promise<void> {
    const backend = this.#backend;
    this.#backend = undefined;
    await backend?.stop();
  }

  async startBackend(): Promise<void> {
    const { clock, log } = this;
    // With more than one command per batch, a batch would wait for its delay, which never ends while the clock stands
    // still.
    const batcher = { batchLimit: 1 };
    const definitions = { checks: parsed(this.#checks) };
    this.#backend = await openBackend({ dir: join(this.dir, 'store'), clock, log, batcher, definitions });
    this.#network.target = this.#backend.url;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#parts.disposeAsync();
  }

  async #settled(): Promise<void> {
    if (this.#backend === undefined) return;
    const { api } = this;
    while ((await api.info()).transport?.results?.messages !== 0) await pause(1);
  }
}

function parsed(checks: Definitions): Map<string, ReturnType<typeof checkSchema.parse>> {
  return new Map(Object.entries(checks).map(([name, check]) => [name, checkSchema.parse(check)]));
}

function stopOnce(agent: Agent): () => Promise<void> {
  let stopping: Promise<void> | undefined;
  return () => (stopping ??= agent.stop());
}
