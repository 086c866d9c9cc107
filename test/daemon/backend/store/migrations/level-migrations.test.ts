import { expect, test } from 'vitest';
import type { Key, StoreOp } from '../../../../../daemon/backend/ports.ts';
import { openLevelStore } from '../../../../../daemon/backend/store/level-store.ts';
import { contentOf } from '../../../../support/earlier-stores.ts';
import {
  migrationContract,
  newForm,
  oldForm,
  unattended,
  withNext,
  writeEarlier,
  type StoreKind,
} from '../../../../support/migration-contract.ts';
import { entriesOf, put } from '../../../../support/store-contract.ts';
import { tempDir } from '../../../../support/temp-dir.ts';

const level: StoreKind = {
  create: () => tempDir(),
  open: (dir, migrations) => openLevelStore(dir, { migrations }),
  content: async (dir) => (await contentOf(dir)).filter(([[table]]) => typeof table === 'string'),
};

migrationContract('LevelDB', level);

const keyOf = (check: string): Key => ['check', 'default', 'web', check];
const amendable = (key: Key): StoreOp => ({ type: 'amendable', key, stamp: 's1', parts: ['{"n":', '1', '}'] });

test('an upgrade rewrites an amended value in the new form and removes its amendment', async () => {
  const [amended, unamended, plain] = [keyOf('cpu'), keyOf('disk'), keyOf('load')];
  const dir = await writeEarlier(level, [
    amendable(amended),
    { type: 'amend', key: amended, stamp: 's1', parts: [undefined, '2', undefined] },
    amendable(unamended),
    put(plain, oldForm(3)),
  ]);
  const store = await openLevelStore(dir, { migrations: withNext() });
  const wanted = [
    [amended, newForm(amended, oldForm(2))],
    [unamended, newForm(unamended, oldForm(1))],
    [plain, newForm(plain, oldForm(3))],
  ];
  expect(await entriesOf(store.scan([]))).toEqual(wanted);
  expect(await store.schema.pending()).toMatchObject([{ entries: 3 }]);
  await store.schema.upgrade(unattended);
  await store.close();
  expect(await level.content(dir)).toEqual(wanted);
});

test('an upgrade does not change a value that is in the newest form, even if it is amended', async () => {
  const key = keyOf('cpu');
  const dir = await writeEarlier(level, []);
  const store = await openLevelStore(dir, { migrations: withNext() });
  const lease = await store.acquire('main', 30_000);
  await store.write(lease, [{ type: 'amendable', key, stamp: 's1', parts: ['{"name":"cpu","n":', '1', '}'] }], []);
  await store.schema.upgrade(unattended);
  await store.write(lease, [{ type: 'amend', key, stamp: 's1', parts: [undefined, '2', undefined] }], []);
  expect(await store.getMany([key])).toEqual(['{"name":"cpu","n":2}']);
  await store.close();
});
