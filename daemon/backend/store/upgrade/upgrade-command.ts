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
  /** Seconds; undefined: no limit. */
  readonly timeout: number | undefined;
  /** False: no backup is made. */
  readonly backup: { readonly dir?: string | undefined } | false;
}

export interface CommandParts {
  readonly clock: Clock;
  readonly log: Log;
  readonly ask: ConfirmationPrompt;
  /** Prints text for operators on standard output. */
  readonly print: (text: string) => void;
  /** Stops the upgrade at a point where it can be resumed. */
  readonly stop: AbortController;
}

/** The question of completion 1.18; the name of the store is the one of the reference. */
const QUESTION =
  'Are you sure you want to upgrade your embedded database? This operation cannot be undone; make sure you back up ' +
  'your database!';

/**
 * Upgrades a store that no backend holds.
 *
 * @throws MonError `conflict` if there are obstacles, `unavailable` if the operator declines, the disk fails or the
 *   time limit is exceeded
 */
export async function upgradeOffline(
  { schema }: Pick<Store, 'schema'>,
  flags: UpgradeFlags,
  parts: CommandParts,
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

/** @throws MonError `unavailable` if the operator declines */
export async function confirmUpgrade(
  { skipConfirm }: Pick<UpgradeFlags, 'skipConfirm'>,
  ask: ConfirmationPrompt,
): Promise<void> {
  if (skipConfirm || (await ask(QUESTION))) return;
  throw new MonError('unavailable', 'upgrade aborted by operator');
}

/**
 * Prints the steps of an upgrade.
 *
 * @throws MonError `conflict` if there are obstacles
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
