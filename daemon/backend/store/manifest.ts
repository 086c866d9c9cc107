import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MonError } from '../../../shared/errors.ts';
import { scanLog } from './inspect/log-scan.ts';
import { isMissing } from './inspect/store-files.ts';
import { versionOf } from './inspect/version.ts';

/**
 * Returns the number of the oldest write-ahead log that LevelDB reads when it opens the database in `dir`. The entries
 * of older logs are in its sorted tables already.
 *
 * @returns the number; undefined if there is no database, or if it is damaged. LevelDB reports damage when it opens the
 *   database.
 * @throws Error if the disk fails
 */
export async function oldestLiveLog(dir: string): Promise<number | undefined> {
  try {
    const current = await readFile(join(dir, 'CURRENT'), 'utf8');
    const [name] = /^MANIFEST-\d+(?=\n$)/.exec(current) ?? [];
    if (name === undefined) return undefined;
    const { records } = scanLog(await readFile(join(dir, name)));
    return versionOf(records.map(({ payload }) => payload)).logNumber;
  } catch (error) {
    if (isMissing(error) || error instanceof MonError) return undefined;
    throw error;
  }
}
