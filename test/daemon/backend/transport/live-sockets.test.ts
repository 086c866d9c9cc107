import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { compose, type Backend } from '../../../../daemon/backend/compose.ts';
import { loadConfig } from '../../../../daemon/backend/config/load-config.ts';
import { openLevelStore } from '../../../../daemon/backend/store/level-store.ts';
import { SystemClock } from '../../../../daemon/clock/system-clock.ts';
import { FEED_PATH, FEED_PROTOCOL } from '../../../../shared/schemas/feed.ts';
import { basic } from '../../../support/asking.ts';
import { RecordedLog } from '../../../support/recorded-log.ts';
import { tempDir } from '../../../support/temp-dir.ts';

async function openFeed({ url }: Backend, authorization: string): Promise<WebSocket> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}${FEED_PATH}`, FEED_PROTOCOL, {
    headers: { authorization },
  });
  await once(socket, 'open');
  return socket;
}

test('a reload with another password ends what was opened with the one before', async () => {
  const dir = await tempDir();
  const file = join(dir, 'config.json');
  const configure = (password: string): Promise<void> =>
    writeFile(file, JSON.stringify({ api: { user: 'root', password } }));
  const load = (): ReturnType<typeof loadConfig> => loadConfig({ file, directories: [], env: {} });
  await configure('the old one');
  const backend = await compose({
    config: await load(),
    loadConfig: load,
    openStore: () => openLevelStore(join(dir, 'store')),
    clock: new SystemClock(),
    log: new RecordedLog(),
    bind: '127.0.0.1',
    port: 0,
  });
  const before = await openFeed(backend, basic('root', 'the old one'));
  const closed = once(before, 'close');
  await configure('the new one');
  await backend.reload();
  const after = await openFeed(backend, basic('root', 'the new one'));
  expect((await closed)[0]).toBe(1008);
  expect(after.readyState).toBe(WebSocket.OPEN);
  after.terminate();
  await backend.stop();
});
