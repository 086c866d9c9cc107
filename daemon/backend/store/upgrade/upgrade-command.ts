import { MonError } from '../../../../shared/errors.ts';
import type { StoreUpgradeStatus } from '../../../../shared/schemas/store-upgrade.ts';
import type { Log } from '../../../log/log.ts';
import type { Clock, Store } from '../../ports.ts';
import type { ConfirmationPrompt } from './ask.ts';
import { obstacleText, timeLimit, upgradeStore } from './upgrade-store.ts';

/** The options of `mon-backend upgrade`. */
export interface UpgradeFlags {
  readonly skipConfirm: boolean;
  readonly dryRun: boolean;
  /** Time limit of the upgrade in seconds; undefined if there is no limit. */
  readonly timeout: number | undefined;
  /** Directory of the backup, by default below the state directory; false if no backup is made. */
  readonly backup: { readonly dir?: string | undefined } | false;
}

export interface CommandDependencies {
  readonly clock: Clock;
  readonly log: Log;
  readonly ask: ConfirmationPrompt;
  /** Prints text for operators on standard output. */
  readonly print: (text: string) => void;
  /** Controller that stops the upgrade at a point from which another run can continue. */
  readonly stop: AbortController;
}

/** The confirmation question of completion 1.18. As in the reference, it calls the store an embedded database. */
const CONFIRMATION_QUESTION =
  'Are you sure you want to upgrade your embedded database? This operation cannot be undone; make sure you back up ' +
  'your database!';

/**
 * Upgrades a store that this process has opened itself, or with `dryRun` only prints the steps.
 *
 * @throws MonError `conflict` if something blocks the upgrade, `unavailable` if the operator declines, the disk fails
 *   or the time limit is exceeded
 */
export async function upgradeOffline(
  { schema }: Pick<Store, 'schema'>,
  flags: UpgradeFlags,
  parts: CommandDependencies,
): Promise<void> {
  if (flags.dryRun) {
    const [pending, obstacles] = await Promise.all([schema.pending(), schema.obstacles()]);
    showPlan({ schema: schema.version, newest: schema.newest, pending, obstacles }, parts.print);
    return;
  }
  if (schema.version !== schema.newest) await confirmUpgrade(flags, parts.ask);
  using timers = new DisposableStack();
  timers.use(timeLimit(parts.clock, flags.timeout, parts.stop));
  await upgradeStore({ ...parts, schema }, { backup: flags.backup, signal: parts.stop.signal });
}

/**
 * Asks the operator to confirm the upgrade, unless `skipConfirm` is set.
 *
 * @throws MonError `unavailable` if the operator declines
 */
export async function confirmUpgrade(
  { skipConfirm }: Pick<UpgradeFlags, 'skipConfirm'>,
  ask: ConfirmationPrompt,
): Promise<void> {
  if (skipConfirm || (await ask(CONFIRMATION_QUESTION))) return;
  throw new MonError('unavailable', 'upgrade aborted by operator');
}

/**
 * Prints the steps that an upgrade of the store would take.
 *
 * @throws MonError `conflict` if something blocks the upgrade, after the steps were printed
 */
export function showPlan(
  { schema, newest, pending, obstacles }: Omit<StoreUpgradeStatus, 'run'>,
  print: (text: string) => void,
): void {
  const steps = pending.map(
    ({ version, name, entries }) => `  to ${String(version)}: ${name}, ${entries.toLocaleString('en')} entries\n`,
  );
  print(
    schema === newest
      ? `the database has schema ${String(schema)} and is up to date\n`
      : `the database has schema ${String(schema)}, an upgrade would bring it to ${String(newest)}:\n${steps.join('')}`,
  );
  if (obstacles.length > 0) throw new MonError('conflict', obstacleText(obstacles));
}
