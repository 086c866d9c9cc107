import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { once } from 'node:events';
import { expect, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { compose, type Backend } from '../../../../daemon/backend/compose.ts';
import { loadConfig } from '../../../../daemon/backend/config/load-config.ts';
import { openLevelStore } from '../../../../daemon/backend/store/level-store.ts';
import { SystemClock } from '../../../../daemon/clock/system-clock.ts';
import { FEED_PATH, FEED_PROTOCOL } from '../../../../shared/schemas/feed.ts';
import { asking, basic } from '../../../support/asking.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { RecordedLog } from '../../../support/recorded-log.ts';
import { startBackend } from '../../../support/running-backend.ts';
import { tempDir } from '../../../support/temp-dir.ts';

/**
 * Opens a feed.
 *
 * @param authorization the Authorization header; `undefined` sends no credentials
 */
async function openFeed(
  { url }: Pick<Backend, 'url'>,
  authorization: string | undefined,
  localAddress = '127.0.0.1',
): Promise<WebSocket> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}${FEED_PATH}`, FEED_PROTOCOL, {
    localAddress,
    headers: authorization === undefined ? {} : { authorization },
  });
  await once(socket, 'open');
  return socket;
}

test('the limit of sockets of one API key does not affect other API keys', async () => {
  await using backend = await startBackend({ settings: { api: { user: 'root', password: 'long enough' } } });
  const keyOf = async (): Promise<string> => {
    const ask = asking(backend.url, basic('root', 'long enough'));
    const { body } = await ask('POST', '/api/core/v2/apikeys', { username: 'root' });
    return `Key ${(body as { readonly key: string }).key}`;
  };
  const [greedy, other] = [await keyOf(), await keyOf()];
  const sockets = await Promise.all(Array.from({ length: 200 }, () => openFeed(backend, greedy)));
  await expect(openFeed(backend, greedy)).rejects.toThrow('503');
  sockets.push(await openFeed(backend, other));
  sockets.shift()?.terminate();
  await vi.waitFor(async () => sockets.push(await openFeed(backend, greedy)));
  for (const socket of sockets) socket.terminate();
});

test('a feed opened with a token closes at logout, a feed opened with a password at the password change', async () => {
  await using backend = await startBackend({ settings: { api: { user: 'root', password: 'long enough' } } });
  const asRoot = asking(backend.url, basic('root', 'long enough'));
  await asRoot('POST', '/api/core/v2/users', { username: 'eve', password: 'battery staple', groups: ['viewers'] });
  const eve = basic('eve', 'battery staple');
  const { body } = await asking(backend.url, eve)('GET', '/auth');
  const tokens = body as { readonly access_token: string; readonly refresh_token: string };
  const byToken = await openFeed(backend, `Bearer ${tokens.access_token}`);
  const byPassword = await openFeed(backend, eve);

  const first = once(byToken, 'close');
  const bearer = asking(backend.url, `Bearer ${tokens.access_token}`);
  await bearer('POST', '/auth/logout', { refresh_token: tokens.refresh_token });
  expect((await first)[0]).toBe(1008);
  expect(byPassword.readyState).toBe(WebSocket.OPEN);

  const second = once(byPassword, 'close');
  await asRoot('PUT', '/api/core/v2/users/eve/password', { password: 'another staple' });
  expect((await second)[0]).toBe(1008);
});

test('a feed is closed if its consumer sends no credentials within five seconds', async () => {
  const clock = new ManualClock();
  await using backend = await startBackend({ clock, settings: { api: { user: 'root', password: 'long enough' } } });
  const socket = await openFeed(backend, undefined);
  const closed = once(socket, 'close');
  const firstMessage = once(socket, 'message') as Promise<[Buffer]>;
  clock.advance(4999);
  expect(socket.readyState).toBe(WebSocket.OPEN);
  clock.advance(1);
  expect((await closed)[0]).toBe(1008);
  expect(JSON.parse((await firstMessage)[0].toString())).toMatchObject({ type: 'error', code: 'unauthenticated' });
});

test('no more than a hundred sockets can wait for their credentials', async () => {
  await using backend = await startBackend({ settings: { api: { user: 'root', password: 'long enough' } } });
  const waiting = await Promise.all(Array.from({ length: 100 }, () => openFeed(backend, undefined)));
  const tooMany = await openFeed(backend, undefined);
  expect((await once(tooMany, 'close'))[0]).toBe(1013);
  for (const socket of waiting) socket.terminate();
});

test('sockets without credentials from one address do not block logins from others', async () => {
  await using backend = await startBackend({ settings: { api: { user: 'root', password: 'long enough' } } });
  const asRoot = asking(backend.url, basic('root', 'long enough'));
  const granted = await asRoot('POST', '/api/core/v2/apikeys', { username: 'root' });
  const { key } = granted.body as { readonly key: string };
  const greedy: WebSocket[] = [];
  for (let count = 0; count < 100; count++) greedy.push(await openFeed(backend, undefined, '127.0.0.2'));
  const [oldest] = greedy;
  const sentAway = once(oldest as WebSocket, 'close');
  const page = await openFeed(backend, undefined);
  const greeting = once(page, 'message') as Promise<[Buffer]>;
  page.send(JSON.stringify({ type: 'authenticate', key }));
  expect(JSON.parse((await greeting)[0].toString())).toMatchObject({ type: 'hello' });
  expect((await sentAway)[0]).toBe(1013);
  // Only one connection was displaced, so the greedy address can open only one again.
  expect(greedy.filter(({ readyState }) => readyState === WebSocket.OPEN)).toHaveLength(99);
  const again = [await openFeed(backend, undefined, '127.0.0.2'), await openFeed(backend, undefined, '127.0.0.2')];
  await vi.waitFor(() => expect(again.map(({ readyState }) => readyState)).toEqual([WebSocket.OPEN, WebSocket.CLOSED]));
  for (const socket of [...greedy, ...again, page]) socket.terminate();
});

test('a reload with a changed password closes the sockets that were opened with the old password', async () => {
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
