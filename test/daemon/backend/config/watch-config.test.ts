import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { ConfigInForce } from '../../../../daemon/backend/config/config-in-force.ts';
import { loadConfig, type ConfigSources } from '../../../../daemon/backend/config/load-config.ts';
import { reloadConfig } from '../../../../daemon/backend/config/reload.ts';
import { watchConfig } from '../../../../daemon/backend/config/watch-config.ts';
import { SystemClock } from '../../../../daemon/clock/system-clock.ts';
import type { CommandLine } from '../../../../shared/schemas/command.ts';
import { RecordedLog } from '../../../support/recorded-log.ts';
import { tempDir } from '../../../support/temp-dir.ts';

const check = (command: string): string =>
  JSON.stringify({ checks: { disk: { command, subscribers: ['a'], interval: 60 } } });

interface Watched {
  /** Returns the command of the only check after the last reload. */
  readonly command: () => CommandLine | undefined;
  /** Returns whether the newest configuration was rejected. */
  readonly isRejected: () => boolean;
}

/**
 * Loads a configuration and starts to watch its sources.
 *
 * @param beforeWatching runs between the first load and the start of the watch
 */
async function watched(
  sources: Omit<ConfigSources, 'env'>,
  beforeWatching: () => Promise<void> = () => Promise.resolve(),
): Promise<Watched> {
  const load = (): ReturnType<typeof loadConfig> => loadConfig({ ...sources, env: {} });
  const config = new ConfigInForce(await load(), 0);
  await beforeWatching();
  const [clock, log] = [new SystemClock(), new RecordedLog()];
  const watch = watchConfig({
    folders: config.loaded.folders,
    reload: () => reloadConfig({ load, config, check: () => undefined, clock, log }),
    clock,
    log,
  });
  onTestFinished(() => watch[Symbol.dispose]());
  return {
    command: () => config.definitions.inNamespace('default').check('disk')?.command,
    isRejected: () => config.rejectionReason !== undefined,
  };
}

test.each<{ name: string; save: (file: string, text: string) => Promise<void> }>([
  { name: 'written in place', save: (file, text) => writeFile(file, text) },
  {
    name: 'renamed over the old one',
    save: async (file, text) => {
      await writeFile(`${file}.tmp`, text);
      await rename(`${file}.tmp`, file);
    },
  },
  {
    name: 'moved away and written anew',
    save: async (file, text) => {
      await rename(file, `${file}~`);
      await writeFile(file, text);
    },
  },
])('the backend notices changes of the main file and of a directory when a file is $name', async ({ save }) => {
  const dir = await tempDir();
  const file = join(dir, 'main.json');
  const folder = join(dir, 'conf.d');
  await mkdir(folder);
  await writeFile(file, check('one'));
  const { command } = await watched({ file, directories: [folder] });
  for (const text of ['two', 'three']) {
    await save(file, check(text));
    await vi.waitFor(() => expect(command()).toBe(text));
  }
  await writeFile(join(folder, 'a.json'), check('four'));
  await vi.waitFor(() => expect(command()).toBe('four'));
  await save(join(folder, 'a.json'), check('five'));
  await vi.waitFor(() => expect(command()).toBe('five'));
});

test('the backend watches a configuration directory that is created after the start', async () => {
  const dir = await tempDir();
  const { command } = await watched({ directories: [dir] });
  await mkdir(join(dir, 'team'));
  await writeFile(join(dir, 'team/a.json'), check('one'));
  await vi.waitFor(() => expect(command()).toBe('one'));
  await writeFile(join(dir, 'team/a.json'), check('two'));
  await vi.waitFor(() => expect(command()).toBe('two'));
});

test('the backend notices a change of a mounted ConfigMap, whose hidden link changes', async () => {
  const dir = await tempDir();
  for (const version of ['..1', '..2']) {
    await mkdir(join(dir, version));
    await writeFile(join(dir, version, 'a.json'), check(version));
  }
  await symlink('..1', join(dir, '..data'));
  await symlink('..data/a.json', join(dir, 'a.json'));
  const { command } = await watched({ directories: [dir] });
  expect(command()).toBe('..1');
  await symlink('..2', join(dir, '..new'));
  await rename(join(dir, '..new'), join(dir, '..data'));
  await vi.waitFor(() => expect(command()).toBe('..2'));
});

test('the backend notices when the link to its configuration directory changes', async () => {
  const dir = await tempDir();
  for (const version of ['one', 'two']) {
    await mkdir(join(dir, version));
    await writeFile(join(dir, version, 'a.json'), check(version));
  }
  await symlink('one', join(dir, 'conf.d'));
  const { command } = await watched({ directories: [join(dir, 'conf.d')] });
  await writeFile(join(dir, 'conf.d/a.json'), check('changed'));
  await vi.waitFor(() => expect(command()).toBe('changed'));
  await symlink('two', join(dir, 'next'));
  await rename(join(dir, 'next'), join(dir, 'conf.d'));
  await vi.waitFor(() => expect(command()).toBe('two'));
});

test.each<{ name: string; repair: (folder: string) => Promise<void> }>([
  { name: 'the file is fixed in place', repair: (folder) => writeFile(join(folder, 'a.json'), '{}') },
  { name: 'its new directory is deleted', repair: (folder) => rm(folder, { recursive: true }) },
])('a backend with a broken configuration still notices when $name', async ({ repair }) => {
  const dir = await tempDir();
  const { command, isRejected } = await watched({ directories: [dir] });
  await mkdir(join(dir, 'a'));
  await writeFile(join(dir, 'a/a.json'), '{');
  await writeFile(join(dir, 'b.json'), check('one'));
  await vi.waitFor(() => expect(isRejected()).toBe(true));
  expect(command()).toBeUndefined();
  await repair(join(dir, 'a'));
  await vi.waitFor(() => expect(command()).toBe('one'));
});

test('the backend notices a change between the first load and the start of the watch', async () => {
  const dir = await tempDir();
  const { command } = await watched({ directories: [dir] }, () => writeFile(join(dir, 'a.json'), check('one')));
  await vi.waitFor(() => expect(command()).toBe('one'));
});
