import { join } from 'node:path';
import type { BackendAddress } from '../../../../shared/client/backend-address.ts';
import { LOCAL_ACCESS_FILE, readLocalAccess } from '../../../../shared/client/local-access.ts';
import { MonError } from '../../../../shared/errors.ts';
import { openSchema, type OpenSchema } from '../open-schema.ts';
import { upgradeOffline, type CommandDependencies, type UpgradeFlags } from './upgrade-command.ts';
import { upgradeThroughBackend } from './upgrade-through.ts';

/**
 * Upgrades the store in a directory. If a running backend has the store open, that backend upgrades it while it serves
 * requests (reference 9.2.5).
 *
 * @param addressOf callback that returns the address of the backend at a URL
 * @throws MonError `not_found` if there is no store, `conflict` if something blocks the upgrade or the process that has
 *   the store open cannot be reached, `unavailable` if the operator declines, the disk fails or the time limit is
 *   exceeded
 */
export async function upgradeDirectory(
  stateDir: string,
  flags: UpgradeFlags,
  parts: CommandDependencies,
  addressOf: (url: string) => BackendAddress,
): Promise<void> {
  const storeOrHolder = await openUnlessLocked(stateDir);
  if ('holder' in storeOrHolder) {
    parts.log.info({ url: storeOrHolder.holder }, 'the store is in use by a running backend: that backend upgrades it');
    await upgradeThroughBackend(addressOf(storeOrHolder.holder), flags, parts);
    return;
  }
  await using opened = storeOrHolder;
  await upgradeOffline(opened, flags, parts);
}

/** Opens the store, or returns the URL of the backend that already has it open. */
async function openUnlessLocked(stateDir: string): Promise<OpenSchema | { readonly holder: string }> {
  try {
    return await openSchema(stateDir);
  } catch (error) {
    if (!(error instanceof MonError) || error.code !== 'conflict') throw error;
    const access = readLocalAccess(join(stateDir, LOCAL_ACCESS_FILE));
    if (access !== undefined) return { holder: access.url };
    throw new MonError(
      'conflict',
      `${error.message}; or upgrade the store through the running backend, with --through URL`,
      { cause: error },
    );
  }
}
