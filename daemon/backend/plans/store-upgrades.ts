import { errorMessage, MonError } from '../../../shared/errors.ts';
import type { Actor } from '../../../shared/schemas/audit.ts';
import type { PendingStep, StoreUpgradeStatus, UpgradeRun } from '../../../shared/schemas/store-upgrade.ts';
import type { Log } from '../../log/log.ts';
import type { Audit } from '../model/audit/mutations.ts';
import type { Clock, StoreSchema } from '../ports.ts';
import { refuseObstacles, timeLimit, upgradeStore } from '../store/upgrade/upgrade-store.ts';

/** Maximum pause after a batch of a store upgrade, even if the batch took longer because of a slow disk. */
const PAUSE_MS_MAX = 100;

interface StoreUpgradesDependencies {
  readonly schema: StoreSchema;
  readonly audit: Audit;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Upgrades the schema of the store while the backend continues to serve requests. Only one upgrade runs at a time.
 * Disposing of it aborts a running upgrade.
 */
export class StoreUpgrades implements AsyncDisposable {
  readonly #deps: StoreUpgradesDependencies;
  #run: UpgradeRun = { state: 'none' };
  /**
   * The steps of the running upgrade with their number of entries, as of the start of the upgrade. They are not counted
   * again, because clients poll the status often and counting takes long.
   */
  #pending: readonly PendingStep[] = [];
  #stop = new AbortController();
  #ending: Promise<void> | undefined;

  constructor(deps: StoreUpgradesDependencies) {
    this.#deps = deps;
    const { version, newest } = deps.schema;
    if (version === newest) return;
    deps.log.warn(
      { database_version: version, new_version: newest },
      'the database schema is outdated: run mon-backend upgrade',
    );
  }

  async status(): Promise<StoreUpgradeStatus> {
    const { schema } = this.#deps;
    const { version, newest } = schema;
    if (this.#run.state === 'running') {
      const pending = this.#pending.filter((step) => step.version > version);
      return { schema: version, newest, pending, obstacles: [], run: this.#run };
    }
    const [pending, obstacles] = await Promise.all([schema.pending(), schema.obstacles()]);
    return { schema: version, newest, pending, obstacles, run: this.#run };
  }

  /**
   * Starts an upgrade and does not wait for its end; `status` reports its progress and outcome.
   *
   * @param options `timeout`: time limit in seconds; no limit if undefined
   * @throws MonError `conflict` if an upgrade is already running, or something in the store blocks the upgrade; in both
   *   cases nothing is changed
   */
  async start(
    actor: Actor,
    { backup, timeout }: { readonly backup: boolean; readonly timeout?: number | undefined },
  ): Promise<void> {
    const { schema, log } = this.#deps;
    refuseObstacles(await schema.obstacles(), log);
    const pending = await schema.pending();
    if (this.#run.state === 'running') {
      throw new MonError(
        'conflict',
        'a store upgrade is already running: GET /api/mon/v1/store/upgrade shows the progress',
      );
    }
    this.#run = { state: 'running' };
    this.#pending = pending;
    this.#stop = new AbortController();
    this.#ending = this.#upgrade(actor, { backup, timeout }).then(
      () => this.#end({ state: 'done' }),
      (error: unknown) => this.#end({ state: 'failed', error: errorMessage(error) }),
    );
  }

  /** Waits for the end of the running upgrade, if any. Returns the outcome of the last upgrade. */
  async ended(): Promise<UpgradeRun> {
    await this.#ending;
    return this.#run;
  }

  /** Progress of the running upgrade; undefined if no upgrade is running. */
  get progress(): UpgradeRun['progress'] {
    return this.#run.progress;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort(
      new MonError(
        'unavailable',
        'the backend stopped during the store upgrade: request the upgrade again to continue',
      ),
    );
    await this.#ending;
  }

  async #upgrade(
    actor: Actor,
    { backup, timeout }: { readonly backup: boolean; readonly timeout: number | undefined },
  ): Promise<void> {
    const { schema, audit, clock } = this.#deps;
    const { version: before } = schema;
    using timers = new DisposableStack();
    timers.use(timeLimit(clock, timeout, this.#stop));
    await upgradeStore(this.#deps, {
      backup: backup ? {} : false,
      signal: this.#stop.signal,
      pause: pauseBetweenBatches(clock),
      onBackup: (dir) => (this.#run = { ...this.#run, backup: dir }),
      onProgress: (progress) => (this.#run = { ...this.#run, progress }),
    });
    if (schema.version === before) return;
    await audit.record(actor, {
      action: 'store.upgrade',
      target: 'store',
      before: { schema: before },
      after: { schema: schema.version },
    });
  }

  #end(outcome: Pick<UpgradeRun, 'state' | 'error'>): void {
    this.#run = { ...this.#run, progress: undefined, ...outcome };
  }
}

/**
 * Returns a function that pauses the upgrade after each batch. The pause is as long as the batch took, but at most
 * `PAUSE_MS_MAX`.
 */
function pauseBetweenBatches(clock: Clock): () => Promise<void> {
  let sinceMs = clock.monotonic();
  return async () => {
    const workedMs = clock.monotonic() - sinceMs;
    await new Promise<void>((resolve) => clock.after(Math.min(workedMs, PAUSE_MS_MAX), resolve));
    sinceMs = clock.monotonic();
  };
}
