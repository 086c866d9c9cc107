import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ConfigSources } from '../../../../daemon/backend/config/load-config.ts';
import { loadInstalled } from '../../../../daemon/backend/config/load-installed.ts';
import type { Installation } from '../../../../daemon/settings/installation.ts';
import { tempDir } from '../../../support/temp-dir.ts';

const NOTHING: ConfigSources = { directories: [], env: {} };

async function anInstallation() {
  const [stateDir, formerStateDir, etc] = [await tempDir(), await tempDir(), await tempDir()];
  return { stateDir, formerStateDir, config: join(etc, 'backend.yml'), directory: join(etc, 'conf.d') };
}

async function stateDirOf(installation: Installation | undefined, sources = NOTHING): Promise<string> {
  return (await loadInstalled(sources, installation)).program['state-dir'];
}

const makeStore = async (dir: string): Promise<void> => writeFile(join(dir, 'CURRENT'), '');

test('the state directory comes from the installation unless a setting names another', async () => {
  const installation = await anInstallation();
  expect(await stateDirOf(installation)).toBe(installation.stateDir);
  expect(await stateDirOf(installation, { ...NOTHING, env: { MON_STATE_DIR: '/said' } })).toBe('/said');
  expect(await stateDirOf(installation, { ...NOTHING, flags: { 'state-dir': '/said' } })).toBe('/said');
});

test('the state directory of a backend in a clone of the repository is var/backend', async () => {
  expect(await stateDirOf(undefined)).toBe('var/backend');
});

test('a store in the state directory of earlier versions stops the start and names the setting to keep it', async () => {
  const installation = await anInstallation();
  const { formerStateDir, stateDir, config } = installation;
  await makeStore(formerStateDir);
  await expect(loadInstalled(NOTHING, installation)).rejects.toThrow(
    `to use that store, move it there, or add this line to ${config}\n  state-dir: ${formerStateDir}`,
  );
  expect(await stateDirOf(installation, { ...NOTHING, flags: { 'state-dir': formerStateDir } })).toBe(formerStateDir);
  expect(await stateDirOf(installation, { ...NOTHING, flags: { 'state-dir': stateDir } })).toBe(stateDir);
  expect(await stateDirOf(installation, { ...NOTHING, flags: { store: 'postgres://mon@db/mon' } })).toBe(stateDir);
  await makeStore(stateDir);
  expect(await stateDirOf(installation)).toBe(stateDir);
});
