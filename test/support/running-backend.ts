import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compose, type BackendOptions } from '../../daemon/backend/compose.ts';
import { loadConfig } from '../../daemon/backend/config/load-config.ts';
import type { Clock, Store } from '../../daemon/backend/ports.ts';
import { openLevelStore } from '../../daemon/backend/store/level-store.ts';
import { SystemClock } from '../../daemon/clock/system-clock.ts';
import { RecordedLog } from './recorded-log.ts';

export interface RunningBackend extends AsyncDisposable {
  readonly url: string;
  /** Of the listener for agents; empty without one in the settings. */
  readonly agentUrl: string;
  readonly log: RecordedLog;
}

/** The whole backend on an empty store and a free port, until it is disposed. */
export async function startBackend(
  options: {
    /** The configuration file. */
    readonly settings?: Readonly<Record<string, unknown>>;
    readonly clock?: Clock;
    readonly batcher?: BackendOptions['batcher'];
    /** What stands between the backend and its store. */
    readonly around?: (store: Store) => Store;
  } = {},
): Promise<RunningBackend> {
  const { around = (store) => store } = options;
  await using parts = new AsyncDisposableStack();
  const dir = await mkdtemp(join(tmpdir(), 'mon-test-'));
  parts.defer(() => rm(dir, { recursive: true, force: true }));
  const file = join(dir, 'config.json');
  await writeFile(file, JSON.stringify(options.settings ?? {}));
  const log = new RecordedLog();
  const backend = await compose({
    config: await loadConfig({ file, directories: [], env: {} }),
    openStore: async () => around(await openLevelStore(join(dir, 'store'))),
    clock: options.clock ?? new SystemClock(),
    log,
    bind: '127.0.0.1',
    port: 0,
    ...(options.batcher === undefined ? {} : { batcher: options.batcher }),
  });
  parts.defer(() => backend.stop());
  const running = parts.move();
  const { url, agentUrl = '' } = backend;
  return { url, agentUrl, log, [Symbol.asyncDispose]: () => running.disposeAsync() };
}
