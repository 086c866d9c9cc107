import { undefinedIfNotFound } from '../../../shared/client/undefined-if-not-found.ts';
import { openUpgradeClient } from '../../../shared/client/plan-client.ts';
import { parsePath, type UpgradePath } from '../../../shared/domain/plan/version.ts';
import { MonError } from '../../../shared/errors.ts';
import { COMPATIBLE_V2_VERSION } from '../../../shared/schemas/version.ts';
import type { CommandCall } from '../command.ts';
import { valueOption, type CommandOption } from '../flags.ts';

export const PATH_OPTIONS = {
  from: valueOption(
    'VERSION',
    'version to upgrade from; default: version in the open plan, else version of the backend',
  ),
  to: valueOption('VERSION', `version to upgrade to; default: version in the open plan, else ${COMPATIBLE_V2_VERSION}`),
} as const satisfies Readonly<Record<string, CommandOption>>;

/**
 * Returns the two versions of the upgrade from the options, the open upgrade plan or the backend.
 *
 * @throws MonError `invalid` when a version is invalid, or the upgrade would be a downgrade
 */
export async function upgradePathOf(call: CommandCall): Promise<UpgradePath> {
  const { from, to } = await versionsOf(call);
  const path = parsePath(from, to);
  if ('problem' in path) throw new MonError('invalid', path.problem);
  return path;
}

async function versionsOf(call: CommandCall): Promise<{ readonly from: string; readonly to: string }> {
  const { flags } = call;
  const [from, to] = [flags.value('from'), flags.value('to')];
  if (from !== undefined) return { from, to: to ?? COMPATIBLE_V2_VERSION };
  if (flags.switch('offline') === true) throw new MonError('invalid', '--offline needs --from VERSION');
  const open = await openPlan(call);
  if (open !== undefined) return { from: open.from, to: to ?? open.to };
  return { from: (await call.v2().versions()).sensu_backend, to: to ?? COMPATIBLE_V2_VERSION };
}

async function openPlan(call: CommandCall): Promise<{ readonly from: string; readonly to: string } | undefined> {
  const client = openUpgradeClient({ backend: call.backend, env: call.credentials });
  // A backend other than mon stores no upgrade plans.
  const plans = await undefinedIfNotFound(client.plans());
  return plans?.find(({ state }) => state === 'open');
}
