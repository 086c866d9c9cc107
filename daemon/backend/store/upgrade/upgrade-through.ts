import type { BackendAddress } from '../../../../shared/client/backend-address.ts';
import { openRequester, type Requester } from '../../../../shared/client/request.ts';
import { errorMessage, MonError } from '../../../../shared/errors.ts';
import { storeUpgradeResponse, type StoreUpgradeStatus } from '../../../../shared/schemas/store-upgrade.ts';
import type { Clock } from '../../ports.ts';
import { refuseObstacles } from './upgrade-store.ts';
import { confirmUpgrade, showPlan, type CommandDependencies, type UpgradeFlags } from './upgrade-command.ts';

const UPGRADE_PATH = ['api', 'mon', 'v1', 'store', 'upgrade'];

/**
 * Timeout in milliseconds of each request to the backend. A status request takes long in a large store, because the
 * backend counts the entries that still need the upgrade.
 */
const ANSWER_TIMEOUT_MS = 60_000;
const POLL_INTERVAL_MS = 250;
/** Interval in milliseconds of the progress messages of an upgrade (completion 1.18). */
const PROGRESS_INTERVAL_MS = 5000;

/**
 * Requests that a running backend upgrades its own store while it serves requests, and waits until the upgrade ends. If
 * only this command is stopped, the upgrade continues in the backend.
 *
 * @throws MonError `unavailable` if the backend cannot be reached, the upgrade fails or the operator declines;
 *   `conflict` if something blocks the upgrade; `invalid` if the flags name a directory for the backup
 */
export async function upgradeThroughBackend(
  address: BackendAddress,
  flags: UpgradeFlags,
  parts: CommandDependencies,
): Promise<void> {
  const { log, stop } = parts;
  if (flags.backup !== false && flags.backup.dir !== undefined) {
    throw new MonError('invalid', 'a running backend writes backups to its own state directory: omit --backup-dir');
  }
  const request = openRequester(address, ANSWER_TIMEOUT_MS);
  const status = await readStatus(request);
  if (flags.dryRun) return showPlan(status, parts.print);
  if (status.schema === status.newest) {
    log.info({ database_version: status.schema }, 'database already up to date');
    return;
  }
  await confirmUpgrade(flags, parts.ask);
  log.warn(
    { database_version: status.schema, new_version: status.newest, url: address.url },
    'migrating embedded database to a new version',
  );
  try {
    refuseObstacles(status.obstacles, log);
    await request({
      method: 'POST',
      path: UPGRADE_PATH,
      body: { backup: flags.backup !== false, timeout: flags.timeout },
    });
    const { schema, run } = await awaitEnd(request, parts, stop.signal);
    if (run.state !== 'done')
      throw new MonError(
        'unavailable',
        run.error ?? 'the backend was restarted during the upgrade; run it again to continue',
      );
    log.info(
      { database_version: schema, ...(run.backup !== undefined && { backup: run.backup }) },
      'successfully upgraded database',
    );
  } catch (error) {
    log.error({ error: errorMessage(error) }, 'error upgrading database');
    throw error;
  }
}

async function awaitEnd(
  request: Requester,
  { clock, log }: Pick<CommandDependencies, 'clock' | 'log'>,
  signal: AbortSignal,
): Promise<StoreUpgradeStatus> {
  let status = await readStatus(request);
  using timers = new DisposableStack();
  timers.use(clock.every(PROGRESS_INTERVAL_MS, () => log.warn({ ...status.run.progress }, 'upgrading database')));
  while (status.run.state === 'running') {
    await waitMs(clock, POLL_INTERVAL_MS);
    signal.throwIfAborted();
    status = await readStatus(request);
  }
  return status;
}

async function readStatus(request: Requester): Promise<StoreUpgradeStatus> {
  const { body } = await request({ method: 'GET', path: UPGRADE_PATH });
  const parsed = storeUpgradeResponse.safeParse(body);
  if (parsed.success) return parsed.data;
  throw new MonError('unavailable', 'the server at this URL is not a mon backend that can upgrade its store');
}

function waitMs(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => clock.after(ms, resolve));
}
