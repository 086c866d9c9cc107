import { mkdir } from 'node:fs/promises';
import { LoadedFiles } from '../../private-files/loaded-files.ts';
import type { LoadedConfig } from '../config/load-config.ts';
import { reloadConfig } from '../config/reload.ts';
import { watchConfig, type ConfigWatch } from '../config/watch-config.ts';
import { refuseOpenBind, type Foundation } from './foundation.ts';
import type { BackendOptions } from './options.ts';
import type { PartName } from './start-order.ts';
import type { Teardown } from './teardown.ts';

/**
 * Writes the list of loaded configuration files into the state directory, for the commands of handlers.
 *
 * @returns environment variables in the form `NAME=value`, by which commands find the list
 */
export async function openLoadedFiles(
  { localDirectories }: BackendOptions,
  { config, log }: Foundation,
  teardown: Teardown<PartName>,
): Promise<readonly string[]> {
  if (localDirectories === undefined) return [];
  // If the store is a database, nothing else has created the state directory.
  await mkdir(localDirectories.stateDir, { recursive: true });
  const files = teardown.use('loaded files', new LoadedFiles(localDirectories.stateDir, log));
  await files.write(config.files);
  teardown.use(
    'changes of the configuration',
    config.definitions.onChange(() => void files.write(config.files)),
  );
  return files.environment;
}

/** Watches the configuration files for changes. @returns undefined if the configuration cannot be reloaded */
export function openConfigWatch(
  options: BackendOptions,
  { config, registry, clock, log }: Foundation,
  teardown: Teardown<PartName>,
): ConfigWatch | undefined {
  const { loadConfig: load } = options;
  if (load === undefined) return undefined;
  const check = (next: LoadedConfig): void => refuseOpenBind(options, next, registry);
  return teardown.use(
    'configuration',
    watchConfig({
      folders: config.loaded.folders,
      reload: () => reloadConfig({ load, config, check, clock, log }),
      clock,
      log,
    }),
  );
}
