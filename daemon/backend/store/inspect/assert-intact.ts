import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Level } from 'level';
import { MonError } from '../../../../shared/errors.ts';
import { inspectStore } from './inspect-store.ts';
import { bytesOf, CURRENT_FILE, storeFiles, type FileDamage } from './store-files.ts';

/** Directory for copies of damaged files, within the state directory. */
const EVIDENCE_DIR = 'damaged';

/** Maximum number of damaged files that an error message lists. */
const NAMED_FILES_MAX = 5;

/**
 * Verifies that no file of the store is damaged, before the store is opened.
 *
 * @param acceptLoss true: if only logs are damaged, accept the loss of their writes, after the damaged files were
 *   copied
 * @returns the accepted damage and the directory of the copies; undefined if nothing is damaged. Also undefined if
 *   another process has the store open: LevelDB rejects that later, when it opens the store.
 * @throws MonError `internal` if the store is damaged and that was not accepted; then nothing was changed
 */
export async function assertIntact(dir: string, acceptLoss: boolean): Promise<AcceptedLoss | undefined> {
  const damages = await inspectStore(dir);
  if (damages.length === 0 || (await isInUse(dir))) return undefined;
  if (!acceptLoss || damages.some(({ kind }) => kind === 'files')) throw damagedStore(dir, damages);
  return { damages: describeDamages(damages), evidence: await keepEvidence(dir, damages) };
}

/** The damage of a store that is used although some of its writes are lost, because an operator has accepted that. */
export interface AcceptedLoss {
  readonly damages: string;
  /** Directory that holds copies of the damaged files. */
  readonly evidence: string;
}

/**
 * True if another process has the store open, so that its files change all the time. The probe never opens the
 * database: LevelDB first checks whether the database is locked, and then rejects an existing database because of
 * `errorIfExists`.
 */
export async function isInUse(dir: string): Promise<boolean> {
  // Without these files LevelDB has never opened the directory, and the probe would create files in it.
  if ((await bytesOf(join(dir, 'LOCK'))) === undefined || (await bytesOf(join(dir, CURRENT_FILE))) === undefined)
    return false;
  const probe = new Level(dir, { createIfMissing: false, errorIfExists: true });
  try {
    await probe.open();
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined;
    return cause instanceof Error && 'code' in cause && cause.code === 'LEVEL_LOCKED';
  }
  await probe.close();
  return false;
}

function damagedStore(dir: string, damages: readonly FileDamage[]): MonError {
  const isServable = damages.every(({ kind }) => kind === 'log');
  const accept = isServable ? 'run mon-backend start --accept-loss to continue with the remaining data, ' : '';
  return new MonError(
    'internal',
    `the store in ${dir} is damaged: ${describeDamages(damages)}. Nothing was changed. ` +
      `Either ${accept}repair a copy with mon-backend repair ${dir}, or move the directory away and restore a backup`,
  );
}

function describeDamages(damages: readonly FileDamage[]): string {
  const named = damages.slice(0, NAMED_FILES_MAX).map(({ file, problem }) => `${file} ${problem}`);
  const more = damages.length - named.length;
  return [...named, ...(more > 0 ? [`${String(more)} more files`] : [])].join('; ');
}

async function keepEvidence(dir: string, damages: readonly FileDamage[]): Promise<string> {
  const time = new Date().toISOString().replaceAll(/[-:]/g, '');
  const evidence = join(dir, EVIDENCE_DIR, time);
  await mkdir(evidence, { recursive: true, mode: 0o700 });
  const { manifests } = await storeFiles(dir);
  for (const file of new Set([...damages.map((damage) => damage.file), CURRENT_FILE, ...manifests])) {
    if ((await bytesOf(join(dir, file))) !== undefined) await copyFile(join(dir, file), join(evidence, file));
  }
  return evidence;
}
