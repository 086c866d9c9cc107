import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  INSTALLATION_FILE,
  installedSources,
  readInstallation,
  type Installation,
} from '../../../daemon/settings/installation.ts';
import { tempDir } from '../../support/temp-dir.ts';

async function anInstallation(): Promise<Installation> {
  const etc = await tempDir();
  await mkdir(join(etc, 'conf.d'));
  return { config: join(etc, 'backend.yml'), directory: join(etc, 'conf.d'), stateDir: '/var/lib/mon/mon-backend' };
}

test('a program without an installation file does not count as installed', async () => {
  expect(readInstallation('mon-backend', await tempDir())).toBeUndefined();
  expect(readInstallation('mon-backend')).toBeUndefined();
});

test('an installed program reads its own paths from the installation file, not those of another program', async () => {
  const folder = await tempDir();
  const installation = await anInstallation();
  await writeFile(join(folder, INSTALLATION_FILE), JSON.stringify({ 'mon-backend': installation }));
  expect(readInstallation('mon-backend', folder)).toEqual(installation);
  expect(readInstallation('mon-agent', folder)).toBeUndefined();
});

test('an installed program reads the installed configuration if no flags are given', async () => {
  const installation = await anInstallation();
  const { config: file, directory } = installation;
  expect(installedSources({ file: undefined, directories: [] }, installation)).toEqual({
    file,
    directories: [directory],
  });
  expect(installedSources({ file: undefined, directories: [] }, { ...installation, directory: '/none' })).toEqual({
    file,
    directories: [],
  });
});

test('a flag for a configuration file or directory replaces all installed sources', async () => {
  const installation = await anInstallation();
  const named = [
    { file: 'own.yml', directories: [] },
    { file: undefined, directories: ['own.d'] },
  ];
  for (const one of named) expect(installedSources(one, installation)).toEqual(one);
});

test('a program in a clone of the repository reads only configuration files that flags name', () => {
  const nothing = { file: undefined, directories: [] };
  expect(installedSources(nothing, undefined)).toEqual(nothing);
});
