import { MonError } from '../../../../shared/errors.ts';
import type { StoreUpgradeStatus } from '../../../../shared/schemas/store-upgrade.ts';
import type { Log } from '../../../log/log.ts';
import type { Clock, Store } from '../../ports.ts';
import type { Ask } from './ask.ts';
import { obstacleText, timeLimit, upgradeStore } from './upgrade-store.ts';

/** What `mon-backend upgrade` was asked for. */
export interface UpgradeFlags {
  readonly skipConfirm: boolean;
  readonly dryRun: boolean;
  /** Seconds; undefined: however long it takes. */
  readonly timeout: number | undefined;
  /** False: none is taken. */
  readonly backup: { readonly dir?: string | undefined } | false;
}

export interface CommandParts {
  readonly clock: Clock;
  readonly log: Log;
  readonly ask: Ask;
  /** For people, on standard output. */
  readonly print: (text: string) => void;
  /** Ends it, with its reason, where it can be taken up again. */
  readonly stop: AbortController;
}

/** Completion 1.18; the name of the store is the one of the reference. */
const QUESTION =
  'Are you sure you want to upgrade your embedded database? This operation cannot be undone; make sure you back up ' +
  'your database!';

/**
 * Upgrades a store that no backend holds.
 *
 * @throws MonError `conflict` when something stands in the way, `unavailable` when the operator, the disk or the time says no
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

/** @throws MonError `unavailable` when the operator says no */
export async function confirmUpgrade({ skipConfirm }: Pick<UpgradeFlags, 'skipConfirm'>, ask: Ask): Promise<void> {
  if (skipConfirm || (await ask(QUESTION))) return;
  throw new MonError('unavailable', 'upgrade aborted by operator');
}

/**
 * What an upgrade would do.
 *
 * @throws MonError `conflict` when something stands in the way
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
