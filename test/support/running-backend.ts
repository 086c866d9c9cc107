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
  /** URL of the listener for agents; empty unless the settings enable it. */
  readonly agentUrl: string;
  /** Reloads the configuration, like SIGHUP. */
  readonly reload: () => Promise<void>;
  /** URL of the listener for the v2 API; empty unless the settings enable it. */
  readonly v2Url: string;
  readonly log: RecordedLog;
  /** Resolves with the reason when the backend can no longer write. */
  readonly lost: Promise<Error>;
}

/** Starts the whole backend on an empty store and a free port, until it is disposed. */
export async function startBackend(
  options: {
    /** The configuration file. */
    readonly settings?: Readonly<Record<string, unknown>>;
    readonly clock?: Clock;
    readonly batcher?: BackendOptions['batcher'];
    readonly fixedLimits?: BackendOptions['fixedLimits'];
    readonly requestTimes?: BackendOptions['requestTimes'];
    /** A database that it may share with others; default: a separate directory. */
    readonly database?: string;
    /** The cluster of the backend; default: none. */
    readonly cluster?: BackendOptions['cluster'];
    /** Wraps the store of the backend. */
    readonly around?: (store: Store) => Store;
    /** A directory with the initial content of the store; default: empty. */
    readonly stored?: string;
    readonly openForwarding?: BackendOptions['openForwarding'];
    readonly logRequest?: BackendOptions['logRequest'];
    /** The disk of the backend. Default: it is unknown, and the backend reports nothing about itself. */
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
    // If credentials are configured, the test sends them or none.
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
  return { url, agentUrl, v2Url, reload, log, lost: backend.lost, [Symbol.asyncDispose]: () => running.disposeAsync() };
}
