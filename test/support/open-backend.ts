import { compose, type Backend } from '../../daemon/backend/compose.ts';
import { loadConfig } from '../../daemon/backend/config/load-config.ts';
import type { BackendOptions } from '../../daemon/backend/compose/options.ts';
import type { BatcherOptions } from '../../daemon/backend/commit/batcher.ts';
import type { Clock, Disk, Store } from '../../daemon/backend/ports.ts';
import { openLevelStore } from '../../daemon/backend/store/level-store.ts';
import { storeBytes } from '../../daemon/backend/store/store-size.ts';
import { SystemClock } from '../../daemon/clock/system-clock.ts';
import type { Log } from '../../daemon/log/log.ts';
import { placesOf } from './administrator.ts';
import { RecordedLog } from './recorded-log.ts';

/** Starts a complete backend in this process. After `stop`, another one can be started with the same directory. */
export async function openBackend(options: {
  readonly dir: string;
  readonly clock?: Clock;
  readonly log?: Log;
  readonly batcher?: BatcherOptions;
  readonly fixedLimits?: BackendOptions['fixedLimits'];
  /** The disk that the backend monitors; default: none, so that nothing is known about free space. */
  readonly disk?: Disk;
  /** Returns a wrapper for the store of the backend; default: the store is not wrapped. */
  readonly around?: (store: Store) => Store;
  /** Sections of a configuration that replace the defaults. */
  readonly definitions?: Partial<
    Pick<
      Awaited<ReturnType<typeof loadConfig>>,
      'checks' | 'handlers' | 'inhibitions' | 'keepalives' | 'api' | 'program'
    >
  >;
  /** Loads the configuration when the backend is reloaded; by default a reload is not possible. */
  readonly loadConfig?: () => ReturnType<typeof loadConfig>;
}): Promise<Backend> {
  const { dir, around = (store) => store } = options;
  return await compose({
    config: { ...(await loadConfig({ directories: [], env: {} })), ...options.definitions },
    openStore: async () => around(await openLevelStore(dir)),
    storeBytes: () => storeBytes(dir),
    ...(options.disk === undefined ? {} : { disk: options.disk }),
    clock: options.clock ?? new SystemClock(),
    log: options.log ?? new RecordedLog(),
    bind: '127.0.0.1',
    port: 0,
    localDirectories: placesOf(dir),
    ...(options.loadConfig === undefined ? {} : { loadConfig: options.loadConfig }),
    ...(options.batcher === undefined ? {} : { batcher: options.batcher }),
    ...(options.fixedLimits === undefined ? {} : { fixedLimits: options.fixedLimits }),
  });
}
