import { resolve } from 'node:path';
import { MonError } from '../../../shared/errors.ts';
import type { Log } from '../../log/log.ts';
import { formatMebibytesRoundedUp, spaceForCopy } from './backup.ts';
import { isInUse } from './inspect/assert-intact.ts';
import { bytesOf } from './inspect/store-files.ts';
import { openLevelStore } from './level-store.ts';
import { repairStore, REPORT_FILE, type RepairReport } from './repair-store.ts';

/**
 * Free space that a repair requires, as a multiple of the space of one copy. For a while the recovered entries are on
 * disk twice: in a temporary database and in the new store.
 */
const NEEDED_COPIES = 3;

/** Maximum number of lost files and file parts that are printed; the report file lists all of them. */
const PRINTED_MAX = 20;

interface RepairDependencies {
  readonly log: Log;
  readonly print: (text: string) => void;
  readonly signal: AbortSignal;
  /**
   * Schema version of the store as set by the operator, for a store that has lost its schema version; undefined if not
   * set.
   */
  readonly schema: number | undefined;
}

/**
 * Implements `mon-backend repair DIR`: creates a new store beside the damaged state directory from everything that can
 * still be read there. The damaged store is not changed.
 *
 * @throws MonError `conflict` if a backend has the store open, `invalid` if there is no store, `unavailable` if there
 *   is not enough space
 */
export async function repairCommand(dir: string, { log, print, signal, schema }: RepairDependencies): Promise<void> {
  if ((await bytesOf(dir)) === undefined) throw new MonError('invalid', `there is no directory ${dir}`);
  if (await isInUse(dir)) throw new MonError('conflict', `a backend is using ${dir}: stop the backend first`);
  const source = resolve(dir);
  const { free, needed } = await spaceForCopy(source, source);
  if (free < NEEDED_COPIES * needed) {
    throw new MonError(
      'unavailable',
      `not enough disk space: the repair needs ${formatMebibytesRoundedUp(NEEDED_COPIES * needed)} next to ${dir}, but only ${formatMebibytesRoundedUp(free)} are free`,
    );
  }
  const target = `${source}.repaired-${new Date().toISOString().replaceAll(/[-:]/g, '')}`;
  log.warn({ path: source, copy: target }, 'repairing a damaged store');
  const report = await repairStore(source, target, { signal, schema });
  // Open and close the repaired store, to verify that a backend can serve it.
  await (await openLevelStore(target)).close();
  print(textOf(report, source, target));
}

function textOf({ kept, lost }: RepairReport, source: string, target: string): string {
  const kinds = Object.entries(kept).map(([kind, count]) => `  ${String(count)} ${kind}`);
  const parts = lost.slice(0, PRINTED_MAX).map(({ file, problem, between }) => {
    const range = between === undefined ? '' : ` (entries from "${between[0]}" to "${between[1]}")`;
    return `  ${file}: ${problem}${range}`;
  });
  const more = lost.length - parts.length;
  return [
    `kept, in ${target}:`,
    ...kinds,
    lost.length === 0 ? 'lost: nothing' : 'lost:',
    ...parts,
    ...(more > 0 ? [`  and ${String(more)} more, see ${REPORT_FILE} there`] : []),
    `${source} was not changed. To continue with the repaired copy:`,
    `  mv ${source} ${source}.damaged && mv ${target} ${source}`,
    '',
  ].join('\n');
}
