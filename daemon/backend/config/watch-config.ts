import { watch, type FSWatcher } from 'node:fs';
import { errorMessage } from '../../../shared/errors.ts';
import type { Log } from '../../log/log.ts';
import type { WatchedFolder } from '../../settings/read-settings.ts';
import type { Clock } from '../ports.ts';

/** Changes of many files, and the steps in which an editor saves one, are taken together. */
const SETTLE_MS = 300;

/** When a folder cannot be watched, because it is gone for the moment. */
const RETRY_MS = 10_000;

interface WatchParts {
  /** What was read at the start. */
  readonly folders: readonly WatchedFolder[];
  /** @returns the folders that were looked into; undefined: nobody knows which those were */
  readonly reload: () => Promise<readonly WatchedFolder[] | undefined>;
  readonly clock: Clock;
  readonly log: Log;
}

export interface ConfigWatch extends Disposable {
  /** Reloads now; a reload that is under way is followed by another one, because it may have read too early. */
  reload(): Promise<void>;
}

/**
 * Reloads when a file of the configuration changes, comes or goes. Folders are watched rather than files: editors and
 * deployments replace a file by renaming another one over it.
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
    // What came into a new one between its reading and its watching was not seen.
    if (folders.some(({ path }) => !before.has(path))) reloadIn(SETTLE_MS);
  }

  function reloadNow(): Promise<void> {
    // One after the other, also after one that failed.
    last = last.then(reloadOnce, reloadOnce);
    return last;
  }

  function reloadIn(delayMs: number): void {
    timer ??= clock.after(delayMs, () => {
      timer = undefined;
      reloadNow().catch((error: unknown) => log.error({ reason: errorMessage(error) }, 'reload failed'));
    });
  }

  /** Anew each time, because a folder may have been replaced by another one of the same name. */
  function follow(): void {
    unfollow();
    if (isDisposed) return;
    for (const { path, only } of folders) {
      try {
        const watcher = watch(path, { persistent: false }, (_event, name) => {
          // Mounted configuration changes by a hidden link that all the others go through.
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
  // They were read some time ago: a start may have waited for a database meanwhile.
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
