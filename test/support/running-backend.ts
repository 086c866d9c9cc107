import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compose } from '../../daemon/backend/compose.ts';
import type { BackendOptions } from '../../daemon/backend/compose/options.ts';
import { loadConfig } from '../../daemon/backend/config/load-config.ts';
import type { Clock, Store } from '../../daemon/backend/ports.ts';
import { openLevelStore } from '../../daemon/backend/store/level-store.ts';
import { openPostgresStore } from '../../daemon/backend/store/postgres/postgres-store.ts';
import { SystemClock } from '../../daemon/clock/system-clock.ts';
import { placesOf } from './administrator.ts';
import { RecordedLog } from './recorded-log.ts';

export interface RunningBackend extends AsyncDisposable {
  readonly url: string;
  /** URL of the listener for agents; empty if the settings do not enable it. */
  readonly agentUrl: string;
  /** Reloads the configuration, as SIGHUP does. */
  readonly reload: () => Promise<void>;
  /** URL of the listener for the v2 API; empty if the settings do not enable it. */
  readonly v2Url: string;
  readonly log: RecordedLog;
  /** Resolves with the reason when the backend has lost its ability to write. */
  readonly lost: Promise<Error>;
}

/**
 * Starts a complete backend in this process, by default with an empty store, on a free port. Disposing of it stops it.
 */
export async function startBackend(
  options: {
    /** Content of the configuration file. */
    readonly settings?: Readonly<Record<string, unknown>>;
    readonly clock?: Clock;
    readonly batcher?: BackendOptions['batcher'];
    readonly fixedLimits?: BackendOptions['fixedLimits'];
    readonly requestTimes?: BackendOptions['requestTimes'];
    /** URL of a PostgreSQL database, which several backends may share; default: LevelDB in a new directory. */
    readonly database?: string;
    /** The cluster that the backend joins; default: none. */
    readonly cluster?: BackendOptions['cluster'];
    /** Returns a wrapper for the LevelDB store of the backend; default: the store is not wrapped. */
    readonly around?: (store: Store) => Store;
    /** Directory whose files the store contains at the start; default: the store is empty. */
    readonly stored?: string;
    readonly openForwarding?: BackendOptions['openForwarding'];
    readonly logRequest?: BackendOptions['logRequest'];
    /** The disk that the backend monitors. By default it is unknown, and the backend reports no events about itself. */
    readonly disk?: BackendOptions['disk'];
  } = {},
): Promise<RunningBackend> {
  const { around = (store) => store } = options;
  await using parts = new AsyncDisposableStack();
  const dir = await mkdtemp(join(tmpdir(), 'mon-test-'));
  parts.defer(() => rm(dir, { recursive: true, force: true }));
  const file = join(dir, 'config.json');
  await writeFile(file, JSON.stringify(options.settings ?? {}));
  const log = new RecordedLog();
  const stateDir = join(dir, 'store');
  if (options.stored !== undefined) await cp(options.stored, stateDir, { recursive: true });
  const config = await loadConfig({ file, directories: [], env: {} });
  const backend = await compose({
    config,
    openStore: async () =>
      options.database === undefined
        ? around(await openLevelStore(stateDir))
        : await openPostgresStore(options.database),
    isShared: options.database !== undefined,
    clock: options.clock ?? new SystemClock(),
    log,
    bind: '127.0.0.1',
    port: 0,
    // If the configuration has credentials, clients must not get a local access token: the test decides what they send.
    ...(config.api.user === undefined && { localDirectories: placesOf(stateDir) }),
    ...(options.batcher === undefined ? {} : { batcher: options.batcher }),
    ...(options.fixedLimits === undefined ? {} : { fixedLimits: options.fixedLimits }),
    ...(options.cluster === undefined ? {} : { cluster: options.cluster, isShared: true }),
    ...(options.requestTimes === undefined ? {} : { requestTimes: options.requestTimes }),
    ...(options.openForwarding === undefined ? {} : { openForwarding: options.openForwarding }),
    ...(options.logRequest === undefined ? {} : { logRequest: options.logRequest }),
    ...(options.disk === undefined ? {} : { disk: options.disk }),
  });
  parts.defer(() => backend.stop());
  const reload = (): Promise<void> => backend.reload();
  const running = parts.move();
  const { url, agentUrl = '', v2Url = '' } = backend;
  return {
    url,
    agentUrl,
    v2Url,
    reload,
    log,
    lost: backend.leadershipLost,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
