import { join } from 'node:path';
import type { BackendAddress } from '../../../../shared/client/backend-address.ts';
import { LOCAL_ACCESS_FILE, readLocalAccess } from '../../../../shared/client/local-access.ts';
import { MonError } from '../../../../shared/errors.ts';
import { openSchema, type OpenSchema } from '../open-schema.ts';
import { upgradeOffline, type CommandParts, type UpgradeFlags } from './upgrade-command.ts';
import { upgradeThrough } from './upgrade-through.ts';

/**
 * Upgrades the store in a directory; where a backend holds it, through that one, while it serves (reference 9.2.5).
 *
 * @param addressOf how the backend at a URL is reached
 * @throws MonError `not_found` when there is no store, `conflict` when something stands in the way or a backend holds it that
 *   has left no way in, `unavailable` when the operator, the disk or the time says no
 */
export async function upgradeDirectory(
  stateDir: string,
  flags: UpgradeFlags,
  parts: CommandParts,
  addressOf: (url: string) => BackendAddress,
): Promise<void> {
  const found = await openUnlessHeld(stateDir);
  if ('holder' in found) {
    parts.log.info({ url: found.holder }, 'a running backend uses this store: upgrading it through the backend');
    await upgradeThrough(addressOf(found.holder), flags, parts);
    return;
  }
  await using opened = found;
  await upgradeOffline(opened, flags, parts);
}

/** The store, or where the backend is that holds it. */
async function openUnlessHeld(stateDir: string): Promise<OpenSchema | { readonly holder: string }> {
  try {
    return await openSchema(stateDir);
  } catch (error) {
    if (!(error instanceof MonError) || error.code !== 'conflict') throw error;
    const access = readLocalAccess(join(stateDir, LOCAL_ACCESS_FILE));
    if (access !== undefined) return { holder: access.url };
    throw new MonError(
      'conflict',
      `${error.message}; or let the backend upgrade it while it serves, with --through URL`,
      { cause: error },
    );
  }
}
