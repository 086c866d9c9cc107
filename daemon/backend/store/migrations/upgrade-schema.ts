import { errorMessage, MonError } from '../../../../shared/errors.ts';
import type { Key, UpgradeOptions } from '../../ports.ts';
import type { Migration } from './migration.ts';
import type { RewrittenValue, UpgradeTarget } from './upgrade-target.ts';

/**
 * Runs one migration in bounded batches, and writes its version when all of them are committed. After a kill at any
 * point the next run starts again; values in the newest form are only read. The position is not stored, because an
 * older program may have written old forms before that position in between.
 *
 * @throws MonError `unavailable`, naming the migration, if the disk fails; the reason of `signal`
 */
export async function takeStep(
  target: UpgradeTarget,
  { version, name, prefixes, rewrite }: Migration,
  { signal, pause, onProgress }: UpgradeOptions,
): Promise<void> {
  try {
    const total = await countEntries(target, prefixes, signal);
    let done = 0;
    onProgress({ version, name, done, total });
    for (const prefix of prefixes) {
      for await (const page of target.pages(prefix)) {
        signal.throwIfAborted();
        const rewritten = page
          .map(([key, old]): RewrittenValue => ({ key, old, current: rewrite(key, old) }))
          .filter(({ old, current }) => old !== current);
        if (rewritten.length > 0) await target.replace(rewritten, signal);
        done += page.length;
        onProgress({ version, name, done, total });
        await pause?.();
      }
    }
    signal.throwIfAborted();
    await target.writeVersion(version);
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw new MonError(
      'unavailable',
      `migration ${String(version)} (${name}) of the store in ${target.location} failed: ${errorMessage(error)}; ` +
        'completed migrations are kept, and the next run of mon-backend upgrade continues from there',
      { cause: error },
    );
  }
}

/** Returns the number of values below all of the prefixes. */
export async function countEntries(
  target: UpgradeTarget,
  prefixes: readonly Key[],
  signal?: AbortSignal,
): Promise<number> {
  let total = 0;
  for (const prefix of prefixes) total += await target.count(prefix, signal);
  return total;
}
