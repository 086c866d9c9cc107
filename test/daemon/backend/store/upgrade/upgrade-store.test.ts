import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { StoreSchema } from '../../../../../daemon/backend/ports.ts';
import { openSchema } from '../../../../../daemon/backend/store/open-schema.ts';
import { upgradeStore } from '../../../../../daemon/backend/store/upgrade/upgrade-store.ts';
import { errorMessage } from '../../../../../shared/errors.ts';
import { earlierStore } from '../../../../support/earlier-stores.ts';
import { ManualClock } from '../../../../support/manual-clock.ts';
import { RecordedLog } from '../../../../support/recorded-log.ts';
import { tempDir } from '../../../../support/temp-dir.ts';

const { signal } = new AbortController();

test.each<{ name: string; backup: (other: string) => Parameters<typeof upgradeStore>[1]['backup']; isDone: boolean }>([
  { name: 'a backup beside the store is rejected', backup: () => ({}), isDone: false },
  {
    name: 'a backup elsewhere is taken, and the upgrade completes',
    backup: (other) => ({ dir: join(other, 'kept') }),
    isDone: true,
  },
  { name: 'an upgrade without a backup completes', backup: () => false, isDone: true },
])('an upgrade on a disk with space for one copy of the store, not two: $name', async ({ backup, isDone }) => {
  const dir = await earlierStore({ schema: 2 });
  await using opened = await openSchema(dir);
  const { schema } = opened;
  const tight: StoreSchema = {
    get version() {
      return schema.version;
    },
    newest: schema.newest,
    diskSpace: () => Promise.resolve({ free: 150, needed: 100 }),
    pending: () => schema.pending(),
    obstacles: () => schema.obstacles(),
    upgrade: (options) => schema.upgrade(options),
    backUp: (options) => schema.backUp(options),
  };
  const parts = { schema: tight, clock: new ManualClock(), log: new RecordedLog() };
  const ending = upgradeStore(parts, { backup: backup(await tempDir()), signal });
  const answer = ending.then(
    () => '',
    (error: unknown) => errorMessage(error),
  );
  expect(await answer).toMatch(
    isDone ? /^$/ : /^not enough disk space: backup and upgrade need .* are free; free some space, or/,
  );
  expect(schema.version === schema.newest).toBe(isDone);
  expect(await readdir(dir)).not.toContain('backups');
});
