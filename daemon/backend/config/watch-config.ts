import { watch, type FSWatcher } from 'node:fs';
import { errorMessage } from '../../../shared/errors.ts';
import type { Log } from '../../log/log.ts';
import type { WatchedFolder } from '../../settings/read-settings.ts';
import type { Clock } from '../ports.ts';

/**
 * The delay before a reload. It combines changes of many files, or the several steps of an editor that saves a file,
 * into one reload.
 */
const RELOAD_DELAY_MS = 300;

/** The delay before a reload after a folder could not be watched: the folder may be missing only for a moment. */
const RETRY_MS = 10_000;

interface WatchDependencies {
  /** The folders that were read when the backend started. */
  readonly folders: readonly WatchedFolder[];
  /**
   * Reads the configuration again.
   *
   * @returns the folders that were read; undefined if they are unknown
   */
  readonly reload: () => Promise<readonly WatchedFolder[] | undefined>;
  readonly clock: Clock;
  readonly log: Log;
}

export interface ConfigWatch extends Disposable {
  /**
   * Reloads the configuration now. If a reload is already running, another reload follows it, because the running
   * reload may have read the files too early.
   */
  reload(): Promise<void>;
}

/**
 * Reloads the configuration when a configuration file is changed, created or deleted. It watches folders instead of
 * files, because editors and deployments replace a file by renaming another file.
 */
export function watchConfig({ folders: initial, reload, clock, log }: WatchDependencies): ConfigWatch {
  let folders = initial;
  let watchers: FSWatcher[] = [];
  let timer: Disposable | undefined;
  let last: Promise<void> = Promise.resolve();
  let isDisposed = false;

  async function reloadOnce(): Promise<void> {
    if (isDisposed) return;
    const before = new Set(folders.map(({ path }) => path));
    folders = (await reload()) ?? folders;
    startWatching();
    // Reload again if there is a new folder: changes after it was read and before it was watched went unnoticed.
    if (folders.some(({ path }) => !before.has(path))) scheduleReload(RELOAD_DELAY_MS);
  }

  function reloadNow(): Promise<void> {
    // Reloads run one at a time; a failed reload does not prevent the next one.
    last = last.then(reloadOnce, reloadOnce);
    return last;
  }

  function scheduleReload(delayMs: number): void {
    timer ??= clock.after(delayMs, () => {
      timer = undefined;
      reloadNow().catch((error: unknown) => log.error({ reason: errorMessage(error) }, 'reload failed'));
    });
  }

  /**
   * Closes all watchers and watches all folders again, because a folder may have been replaced by another folder with
   * the same name.
   */
  function startWatching(): void {
    stopWatching();
    if (isDisposed) return;
    for (const { path, only } of folders) {
      try {
        const watcher = watch(path, { persistent: false }, (_event, name) => {
          // In a configuration mounted by Kubernetes, all files are symbolic links through one hidden link, whose name
          // begins with two dots. Only that link changes.
          if (only === undefined || name === null || name === only || name.startsWith('..'))
            scheduleReload(RELOAD_DELAY_MS);
        });
        watcher.on('error', () => scheduleReload(RETRY_MS));
        watchers.push(watcher);
      } catch {
        scheduleReload(RETRY_MS);
      }
    }
  }

  function stopWatching(): void {
    for (const watcher of watchers) watcher.close();
    watchers = [];
  }

  startWatching();
  // Reload once at the start: files may have changed since they were read, while the backend waited for a database.
  scheduleReload(RELOAD_DELAY_MS);
  return {
    reload: reloadNow,
    [Symbol.dispose]: () => {
      isDisposed = true;
      timer?.[Symbol.dispose]();
      stopWatching();
    },
  };
}
