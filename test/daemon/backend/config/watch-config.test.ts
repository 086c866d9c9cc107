import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { watchConfig } from '../../../../daemon/backend/config/watch-config.ts';
import { loadConfig, type ConfigSources } from '../../../../daemon/backend/config/load-config.ts';
import { SystemClock } from '../../../../daemon/clock/system-clock.ts';
import type { Command } from '../../../../shared/schemas/command.ts';
import { RecordedLog } from '../../../support/recorded-log.ts';
import { tempDir } from '../../../support/temp-dir.ts';

const check = (command: string): string =>
  JSON.stringify({ checks: { disk: { command, subscribers: ['a'], interval: 60 } } });

/** The command of the one check, as of the last reload. */
async function watched(sources: Omit<ConfigSources, 'env'>): Promise<() => Command | undefined> {
  const load = async (): Promise<Awaited<ReturnType<typeof loadConfig>>> => loadConfig({ ...sources, env: {} });
  const first = await load();
  let { checks } = first;
  const watch = watchConfig({
    folders: first.folders,
    reload: async () => {
      const next = await load().catch(() => undefined);
      ({ checks } = next ?? { checks });
      return next;
    },
    clock: new SystemClock(),
    log: new RecordedLog(),
  });
  onTestFinished(() => watch[Symbol.dispose]());
  return () => checks.get('disk')?.command;
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
])('a main file and one of a directory are noticed when $name', async ({ save }) => {
  const dir = await tempDir();
  const file = join(dir, 'main.json');
  const folder = join(dir, 'conf.d');
  await mkdir(folder);
  await writeFile(file, check('one'));
  const command = await watched({ file, directories: [folder] });
  for (const text of ['two', 'three']) {
    await save(file, check(text));
    await vi.waitFor(() => expect(command()).toBe(text));
  }
  await writeFile(join(folder, 'a.json'), check('four'));
  await vi.waitFor(() => expect(command()).toBe('four'));
  await save(join(folder, 'a.json'), check('five'));
  await vi.waitFor(() => expect(command()).toBe('five'));
});

test('a folder that comes later is watched as well', async () => {
  const dir = await tempDir();
  const command = await watched({ directories: [dir] });
  await mkdir(join(dir, 'team'));
  await writeFile(join(dir, 'team/a.json'), check('one'));
  await vi.waitFor(() => expect(command()).toBe('one'));
  await writeFile(join(dir, 'team/a.json'), check('two'));
  await vi.waitFor(() => expect(command()).toBe('two'));
});

test('a mounted configuration is noticed when its hidden link is turned over', async () => {
  const dir = await tempDir();
  for (const version of ['..1', '..2']) {
    await mkdir(join(dir, version));
    await writeFile(join(dir, version, 'a.json'), check(version));
  }
  await symlink('..1', join(dir, '..data'));
  await symlink('..data/a.json', join(dir, 'a.json'));
  const command = await watched({ directories: [dir] });
  expect(command()).toBe('..1');
  await symlink('..2', join(dir, '..new'));
  await rename(join(dir, '..new'), join(dir, '..data'));
  await vi.waitFor(() => expect(command()).toBe('..2'));
});

test('a broken configuration is no end: what mends it is noticed', async () => {
  const dir = await tempDir();
  const command = await watched({ directories: [dir] });
  await mkdir(join(dir, 'a'));
  await writeFile(join(dir, 'a/a.json'), '{');
  await writeFile(join(dir, 'b.json'), check('one'));
  // Longer than it takes to look, so that the broken one was read.
  await vi.waitFor(() => expect(command()).toBeUndefined());
  await rm(join(dir, 'a'), { recursive: true });
  await vi.waitFor(() => expect(command()).toBe('one'));
});
