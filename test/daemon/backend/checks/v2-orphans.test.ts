import { expect, onTestFinished, test } from 'vitest';
import { DEFINITIONS } from '../../../../daemon/backend/model/definitions/storage.ts';
import { encodeTuple } from '../../../../daemon/backend/store/tuple.ts';
import { V2Peer } from '../../../support/v2-peer.ts';
import { onClosed } from '../../../support/earlier-stores.ts';
import { openBackend } from '../../../support/open-backend.ts';
import { tempDir } from '../../../support/temp-dir.ts';

const ORPHAN = {
  command: 'true',
  subscriptions: ['linux'],
  interval: 60,
  metadata: { name: 'left-over', namespace: 'gone' },
};

test('a check whose namespace is missing is in the list of all checks and can be deleted with sensuctl', async () => {
  const dir = await tempDir();
  await (await openBackend({ dir })).stop();
  const key = encodeTuple([DEFINITIONS.prefix, 'checks', 'gone', 'left-over']);
  await onClosed(dir, (database) => database.put(key, JSON.stringify(ORPHAN)));
  const backend = await openBackend({ dir });
  onTestFinished(() => backend.stop());
  const v2 = new V2Peer(backend.url);

  expect((await v2.get('/namespaces')).body).toEqual([{ name: 'default' }]);
  expect((await v2.get('/checks')).body).toMatchObject([ORPHAN]);
  expect((await v2.get('/checks?limit=1')).body).toMatchObject([ORPHAN]);
  await v2.post('/namespaces', { name: 'gone' });
  expect(await v2.delete('/namespaces/gone/checks/left-over')).toMatchObject({ status: 204 });
  expect(await v2.delete('/namespaces/gone')).toMatchObject({ status: 204 });
  expect((await v2.get('/checks')).body).toEqual([]);
});
