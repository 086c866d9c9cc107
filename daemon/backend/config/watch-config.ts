import { watch, type FSWatcher } from 'node:fs';
import { errorMessage } from '../../../shared/errors.ts';
import type { Log } from '../../log/log.ts';
import type { WatchedFolder } from '../../settings/read-settings.ts';
import type { Clock } from '../ports.ts';

/** The delay in which changes of many files, and the steps of an editor that saves a file, are combined. */
const SETTLE_MS = 300;

/** The delay before a folder that cannot be watched is tried again: it may be missing only for a moment. */
const RETRY_MS = 10_000;

interface WatchParts {
  /** The folders that were read at the start. */
  readonly folders: readonly WatchedFolder[];
  /** @returns the folders that were read; undefined: unknown */
  readonly reload: () => Promise<readonly WatchedFolder[] | undefined>;
  readonly clock: Clock;
  readonly log: Log;
}

export interface ConfigWatch extends Disposable {
  /** Reloads now. If a reload is running, another one follows it, because the first may have read too early. */
  reload(): Promise<void>;
}

/**
 * Reloads when a configuration file is changed, created or deleted. It watches folders instead of files, because
 * editors and deployments replace a file by renaming another one.
 */
export function watchConfig({ folders: initial, reload, clock, log }: WatchParts): ConfigWatch {
  let folders = initial;
  let watchers: FSWatcher[] = [];
  let timer: Disposable | undefined;
  let last: Promise<void> = Promise.resolve();
  let isDisposed = false;

  async function reloadOnce(): Promise<void> {
    if (isDisposed) return;
    const before = new Set(folders.map(({ path }) => path));
    folders = (await reload()) ?? folders;
    follow();
    // Changes in a new folder between its reading and the start of its watch were not seen.
    if (folders.some(({ path }) => !before.has(path))) reloadIn(SETTLE_MS);
  }

  function reloadNow(): Promise<void> {
    // Reloads run one after the other, even after a failed one.
    last = last.then(reloadOnce, reloadOnce);
    return last;
  }

  function reloadIn(delayMs: number): void {
    timer ??= clock.after(delayMs, () => {
      timer = undefined;
      reloadNow().catch((error: unknown) => log.error({ reason: errorMessage(error) }, 'reload failed'));
    });
  }

  /** Watches all folders anew, because a folder may have been replaced by another one with the same name. */
  function follow(): void {
    unfollow();
    if (isDisposed) return;
    for (const { path, only } of folders) {
      try {
        const watcher = watch(path, { persistent: false }, (_event, name) => {
          // Mounted configuration (Kubernetes) changes through one hidden link to which all other links lead.
          if (only === undefined || name === null || name === only || name.startsWith('..')) reloadIn(SETTLE_MS);
        });
        watcher.on('error', () => reloadIn(RETRY_MS));
        watchers.push(watcher);
      } catch {
        reloadIn(RETRY_MS);
      }
    }
  }

  function unfollow(): void {
    for (const watcher of watchers) watcher.close();
    watchers = [];
  }

  follow();
  // The folders were read some time ago: the start may have waited for a database since.
  reloadIn(SETTLE_MS);
  return {
    reload: reloadNow,
    [Symbol.dispose]: () => {
      isDisposed = true;
      timer?.[Symbol.dispose]();
      unfollow();
    },
  };
}
