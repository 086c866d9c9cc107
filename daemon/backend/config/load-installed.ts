import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { MonError } from '../../../shared/errors.ts';
import type { Installation } from '../../settings/installation.ts';
import { loadConfig, type ConfigSources, type LoadedConfig } from './load-config.ts';

/** Name of a file that every LevelDB store directory contains. */
const STORE_FILE = 'CURRENT';

/**
 * Loads the configuration like `loadConfig`. If `state-dir` is not set, it uses the state directory of the
 * installation.
 *
 * @throws RejectedConfig under the same conditions as `loadConfig`
 * @throws MonError `conflict` if a new store would be created although the state directory of earlier versions contains
 *   a store (completion 1.19, 5.1.0)
 */
export async function loadInstalled(
  sources: ConfigSources,
  installation: Installation | undefined,
): Promise<LoadedConfig> {
  const config = await loadConfig(sources);
  if (installation === undefined || config.settings['state-dir'] !== undefined) return config;
  if (config.program.store === undefined) rejectAbandonedStore(installation);
  return { ...config, program: { ...config.program, 'state-dir': installation.stateDir } };
}

function rejectAbandonedStore({ config, stateDir, formerStateDir }: Installation): void {
  if (formerStateDir === undefined || !hasStore(formerStateDir) || hasStore(stateDir)) return;
  throw new MonError(
    'conflict',
    `there is a store in ${formerStateDir}, the former default directory, and none in ${stateDir}: ` +
      `to use that store, move it there, or add this line to ${config}\n  state-dir: ${formerStateDir}`,
  );
}

function hasStore(dir: string): boolean {
  return existsSync(join(dir, STORE_FILE));
}
