import { errorMessage, MonError } from '../../../../shared/errors.ts';
import type { Key, UpgradeOptions } from '../../ports.ts';
import type { Migration } from './migration.ts';
import type { RewrittenValue, UpgradeTarget } from './upgrade-target.ts';

/**
 * Runs one migration in pages of limited size, and stores its schema version when all pages are committed. If the
 * process is killed, the next run starts from the beginning, but does not write values that already have the new form.
 * The position is not stored, because meanwhile an older program could have written values in the old form before that
 * position.
 *
 * @throws MonError `unavailable` with the name of the migration, if any part of it fails; the reason of `signal`, if
 *   that is aborted
 */
export async function runMigration(
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

/** Returns the total number of values below the prefixes. */
export async function countEntries(
  target: UpgradeTarget,
  prefixes: readonly Key[],
  signal?: AbortSignal,
): Promise<number> {
  let total = 0;
  for (const prefix of prefixes) total += await target.count(prefix, signal);
  return total;
}
