import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { detectInstallation, type InstallPaths } from '../../../../tui/monctl/upgrade/installation.ts';
import { tempDir } from '../../../support/temp-dir.ts';

async function aMachine(): Promise<{ readonly bin: string; readonly places: InstallPaths }> {
  const dir = await tempDir();
  const bin = join(dir, 'bin');
  const places = {
    program: 'mon-backend',
    config: join(dir, 'backend.yml'),
    oldState: join(dir, 'state'),
    newState: join(dir, 'state', 'mon-backend'),
  };
  await mkdir(bin);
  await writeFile(join(bin, 'mon-backend'), '#!/bin/sh\n');
  await chmod(join(bin, 'mon-backend'), 0o755);
  return { bin, places };
}

test('the installation report recognizes a bare binary without state-dir and with data in the old directory', async () => {
  const { bin, places } = await aMachine();
  await mkdir(places.oldState);
  await writeFile(join(places.oldState, 'data'), '');
  expect(await detectInstallation(`/nowhere:${bin}:${process.env['PATH'] ?? ''}`, places)).toEqual({
    install: 'binary',
    state_dir: { configured: null, old_has_data: true, new_has_data: false },
  });
});

test('the installation report names the configured state directory and whether the new directory has data', async () => {
  const { bin, places } = await aMachine();
  await mkdir(places.newState, { recursive: true });
  await writeFile(join(places.newState, 'data'), '');
  await writeFile(places.config, `state-dir: ${places.oldState}\n`);
  expect((await detectInstallation(bin, places)).state_dir).toEqual({
    configured: places.oldState,
    old_has_data: false,
    new_has_data: true,
  });
});

test('the installation report of a machine without a backend is empty', async () => {
  const { places } = await aMachine();
  expect(await detectInstallation('/nowhere', places)).toEqual({});
});

test('the installation report names the problem of an invalid configuration', async () => {
  const { bin, places } = await aMachine();
  await writeFile(places.config, 'a: [');
  await expect(detectInstallation(bin, places)).rejects.toThrow(`${places.config} is not YAML`);
});
