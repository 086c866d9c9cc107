import { isDeepStrictEqual } from 'node:util';
import { settingsChanges, type SettingsChange } from '../../../shared/domain/settings-changes.ts';
import { MonError } from '../../../shared/errors.ts';
import type { Log } from '../../log/log.ts';
import { InvalidSettings, remarkText } from '../../settings/locate-remark.ts';
import type { WatchedFolder } from '../../settings/read-settings.ts';
import type { Clock } from '../ports.ts';
import type { ConfigInForce } from './config-in-force.ts';
import { RejectedConfig, type LoadedConfig } from './load-config.ts';

/** Pattern for the paths of settings that are read only when the backend starts. */
export const NEEDS_RESTART =
  /^(?:api\.(?:bind|port|cors|tls)|agent-listener|v2-listener|tls|insecure-http|state-dir|store|peer-key-file|log|log-level|request-log-level)(?:\.|$)/;

/** The maximum number of changes or problems in one log record. */
const LOGGED_MAX = 100;

interface ReloadDependencies {
  readonly load: () => Promise<LoadedConfig>;
  readonly config: ConfigInForce;
  /**
   * Rejects a valid configuration that a running backend must not apply.
   *
   * @throws MonError `invalid`
   */
  readonly check: (config: LoadedConfig) => void;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Reads the configuration again. The new configuration takes effect as a whole or, if it has any problem, not at all.
 *
 * @returns the folders that were read, even if their content was rejected; undefined if they are unknown
 */
export async function reloadConfig({
  load,
  config,
  check,
  clock,
  log,
}: ReloadDependencies): Promise<readonly WatchedFolder[] | undefined> {
  let next: LoadedConfig | undefined;
  try {
    next = await load();
    check(next);
  } catch (error) {
    if (!(error instanceof MonError)) throw error;
    const problems = error instanceof InvalidSettings ? error.problems.map(remarkText) : [error.message];
    // The error contains only the number of problems: a problem may quote a secret value, and every user of the API can
    // read the error.
    const count = problems.length === 1 ? '1 problem' : `${String(problems.length)} problems`;
    config.recordRejection(`the new configuration has ${count}, see the log; the previous one stays in effect`);
    log.error(
      { problems: problems.slice(0, LOGGED_MAX), problem_count: problems.length },
      'configuration rejected: the previous configuration stays in effect',
    );
    return error instanceof RejectedConfig ? error.folders : next?.folders;
  }
  const changes = settingsChanges(config.settings, next.settings);
  // A changed list of files is a change too: handler commands find their own settings by the file names.
  if (changes.length === 0 && isDeepStrictEqual(config.files, next.files)) {
    config.clearError();
    return next.folders;
  }
  config.replace(next, Math.floor(clock.now() / 1000));
  if (changes.length > 0) logChanges(log, next, changes);
  return next.folders;
}

function logChanges(log: Log, next: LoadedConfig, changes: readonly SettingsChange[]): void {
  for (const warning of next.warnings) log.warn({}, warning);
  log.info(
    { changes: changes.slice(0, LOGGED_MAX), change_count: changes.length },
    // Sensu Core logs the same message (completion 1.16).
    'config file applied changes',
  );
  const waiting = changes.map(({ path }) => path).filter((path) => NEEDS_RESTART.test(path));
  if (waiting.length > 0) log.warn({ settings: waiting }, 'some changed settings take effect only after a restart');
}
