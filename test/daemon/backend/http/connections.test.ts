import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { Connections } from '../../../../daemon/backend/http/connections.ts';
import { openApiClient } from '../../../../shared/client/api-client.ts';
import { HeldSocket } from '../../../support/held-socket.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { requestBytes, send } from '../../../support/raw-http.ts';
import { RecordedLog } from '../../../support/recorded-log.ts';
import { startBackend } from '../../../support/running-backend.ts';
import { startDaemon } from '../../../support/start-daemon.ts';
import { tempDir } from '../../../support/temp-dir.ts';

const handshake = (target: string): string =>
  requestBytes({
    method: 'GET',
    target,
    headers: {
      Connection: 'Upgrade',
      Upgrade: 'websocket',
      'Sec-WebSocket-Version': '13',
      'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
    },
  });

/** Returns the value of a metric. The request uses a separate connection, which counts too. */
async function figure(url: string, name: string): Promise<number> {
  const { text } = await send(url, { method: 'GET', target: '/metrics' });
  return Number(new RegExp(`^${name.replace(/[{}]/g, '\\$&')} (\\d+)$`, 'm').exec(text)?.[1]);
}

async function openMany(count: number, url: string, bytes?: string): Promise<HeldSocket[]> {
  const held = await Promise.all(Array.from({ length: count }, () => HeldSocket.open(url, bytes)));
  onTestFinished(() => held.forEach((socket) => socket.drop()));
  return held;
}

describe('a rejected handshake', () => {
  test.each([
    { listener: 'main', path: '/nope', status: '404' },
    { listener: 'agents', path: '/nope', status: '404' },
    { listener: 'main', path: '/api/mon/v1/feed', status: '400' },
  ])(
    'a rejected handshake at $path of the listener $listener leaves no connection open',
    async ({ listener, ...asked }) => {
      await using backend = await startBackend({ settings: { 'agent-listener': { port: 0 } } });
      const url = listener === 'main' ? backend.url : backend.agentUrl;
      const held = await openMany(5, url, handshake(asked.path));
      for (const socket of held) await socket.waitForText(asked.status);
      await vi.waitFor(async () => expect(await figure(backend.url, 'mon_connections')).toBe(1));
    },
  );
});

describe('the limit of connections', () => {
  test(
    'the connection limit applies to all listeners together, and a closed connection allows another one',
    { tags: 'slow' },
    async () => {
      await using backend = await startBackend({
        settings: { 'agent-listener': { port: 0 }, 'core-api': { port: 0 }, 'connection-limit': 10 },
      });
      await openMany(3, backend.agentUrl);
      await openMany(3, backend.v2Url);
      const own = await openMany(4, backend.url, requestBytes({ method: 'GET', target: '/health' }));
      for (const socket of own) await socket.waitForText('204');
      for (const url of [backend.url, backend.agentUrl, backend.v2Url]) {
        const [refused] = await openMany(1, url);
        await refused?.waitForText('503 Service Unavailable');
      }
      own[0]?.drop();
      await vi.waitFor(async () => {
        expect(await figure(backend.url, 'mon_connections_rejected_total{reason="total"}')).toBeGreaterThanOrEqual(3);
      });
      expect(backend.log.messages('warn')).toEqual([
        'connections are rejected: find the clients with many connections, or raise connection-limit',
      ]);
    },
  );

  test('the connection limit per address exempts shared addresses, and exceeding it is logged once a minute', async () => {
    const clock = new ManualClock();
    const log = new RecordedLog();
    let isShared = false;
    const limits = { all: 100, withTunnels: 100, perAddress: 3, rejectionsWithReason: 10 };
    using connections = new Connections({ limits: () => limits, isShared: () => isShared, clock, log });
    const server = connections.watch(createServer()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
    await openMany(3, url);
    for (const socket of await openMany(5, url)) await socket.waitForText('503');
    expect(connections.rejected).toEqual({ total: 0, address: 5 });
    clock.advance(60_000);
    for (const socket of await openMany(1, url)) await socket.waitForText('503');
    expect(log.records.map(({ fields }) => fields['count'])).toEqual([1, 5]);
    isShared = true;
    await openMany(2, url);
    await vi.waitFor(() => expect(connections.size).toBe(5));
  });

  test('the connection limit leaves enough file descriptors for the store', async () => {
    await using daemon = await startDaemon({ stateDir: await tempDir(), openFiles: 256 });
    await openMany(300, daemon.url);
    await vi.waitFor(() => expect(daemon.records.map(({ level }) => level)).toContain('warn'));
    const used = await readdir(`/proc/${String(daemon.pid)}/fd`);
    expect(used.length).toBeGreaterThan(192);
    expect(256 - used.length).toBeGreaterThan(16);
  });
});

test('a backend stops in time although clients keep connections of all kinds open', { tags: 'slow' }, async () => {
  const backend = await startBackend({ settings: { 'agent-listener': { port: 0 }, 'v2-listener': { port: 0 } } });
  const api = openApiClient({ backend: backend.url });
  await api.submitResult({ source: 'web-1', name: 'disk', output: 'x'.repeat(900_000), status: 2 });
  const urls = [backend.url, backend.agentUrl, backend.v2Url];
  const get = requestBytes({ method: 'GET', target: '/events' });
  const held = [
    ...(await Promise.all(urls.map((url) => HeldSocket.open(url)))),
    ...(await Promise.all(urls.map((url) => HeldSocket.open(url, 'GET / HT')))),
    ...(await Promise.all(urls.map((url) => HeldSocket.open(url, handshake('/nope'))))),
    await HeldSocket.open(backend.url, 'POST /results HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{"name":'),
  ];
  const deaf = await HeldSocket.open(backend.url, get.repeat(100));
  deaf.socket.pause();
  onTestFinished(() => [...held, deaf].forEach((socket) => socket.drop()));
  await api.info();
  const startedAt = performance.now();
  await backend[Symbol.asyncDispose]();
  expect(performance.now() - startedAt).toBeLessThan(30_000);
  await vi.waitFor(() => expect(held.filter(({ isClosedByServer }) => !isClosedByServer)).toEqual([]));
});
