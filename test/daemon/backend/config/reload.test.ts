import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ConfigInForce } from '../../../../daemon/backend/config/config-in-force.ts';
import { loadConfig } from '../../../../daemon/backend/config/load-config.ts';
import { reloadConfig } from '../../../../daemon/backend/config/reload.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { RecordedLog } from '../../../support/recorded-log.ts';
import { tempDir } from '../../../support/temp-dir.ts';

test('a reload after a configuration file was renamed announces the new list of files', async () => {
  const dir = await tempDir();
  await writeFile(join(dir, 'a.json'), '{ "mail": { "to": "ops@example.org" } }');
  const load = (): ReturnType<typeof loadConfig> => loadConfig({ directories: [dir], env: {} });
  const config = new ConfigInForce(await load(), 0);
  const log = new RecordedLog();
  const changes: (readonly string[])[] = [];
  config.definitions.onChange(() => void changes.push(config.files));
  const again = (): Promise<unknown> =>
    reloadConfig({ load, config, check: () => undefined, clock: new ManualClock(), log });
  await again();
  expect(changes).toEqual([]);
  await rename(join(dir, 'a.json'), join(dir, 'b.json'));
  await again();
  expect(changes).toEqual([[join(dir, 'b.json')]]);
  expect(log.records).toEqual([]);
});
