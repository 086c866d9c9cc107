import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect, type TLSSocket } from 'node:tls';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { openApiClient } from '../../../../shared/client/api-client.ts';
import { AGENT_PATH, AGENT_PROTOCOL } from '../../../../shared/schemas/agent.ts';
import { HeldSocket } from '../../../support/held-socket.ts';
import { makeCertificate } from '../../../support/make-certificate.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { requestBytes, send } from '../../../support/raw-http.ts';
import { startBackend, type RunningBackend } from '../../../support/running-backend.ts';
import { startDaemon } from '../../../support/start-daemon.ts';
import { tempDir } from '../../../support/temp-dir.ts';
import { writePair } from '../../../support/tls-files.ts';

const MIB = 1024 * 1024;

const getEvents = requestBytes({ method: 'GET', target: '/events' });

/** Submits `count` events of about `bytes` bytes each. */
async function submitEvents(url: string, count: number, bytes: number): Promise<void> {
  const api = openApiClient({ backend: url });
  for (let at = 0; at < count; at += 1000) {
    await api.submitResults(
      Array.from({ length: Math.min(1000, count - at) }, (_, index) => ({
        source: `web-${String((at + index) % 100)}`,
        name: `check-${String(at + index)}`,
        output: 'x'.repeat(bytes),
        status: 2,
      })),
    );
  }
}

async function openMany(count: number, url: string, bytes: string): Promise<HeldSocket[]> {
  const held = await Promise.all(Array.from({ length: count }, () => HeldSocket.open(url)));
  onTestFinished(() => held.forEach((one) => one.drop()));
  for (const { socket } of held) {
    socket.pause();
    socket.write(bytes);
  }
  return held;
}

async function metric(url: string, name: string): Promise<number> {
  const { text } = await send(url, { method: 'GET', target: '/metrics' });
  const line = text.split('\n').find((one) => one.startsWith(`${name} `));
  return Number(line?.split(' ')[1]);
}

async function memoryMiB(pid: number): Promise<number> {
  const status = await readFile(`/proc/${String(pid)}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
}

test('each client that does not read a long list costs the backend little memory', { tags: 'slow' }, async () => {
  await using daemon = await startDaemon({ stateDir: await tempDir() });
  await submitEvents(daemon.url, 5000, 1000);
  // The first request compiles the code and fills the caches, so its memory is not measured.
  await (await fetch(`${daemon.url}/events`)).text();
  const before = await memoryMiB(daemon.pid);
  await openMany(150, daemon.url, getEvents);
  // Other readers still get responses.
  const answers = await Promise.all(Array.from({ length: 5 }, () => fetch(`${daemon.url}/events?limit=10`)));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  await vi.waitFor(async () => expect(await metric(daemon.url, 'mon_connections')).toBeGreaterThan(150));
  // 150 lists of 6 MB would be 0.9 GB; much of the remaining memory is garbage that was not collected yet.
  expect((await memoryMiB(daemon.pid)) - before).toBeLessThan(500);
  expect(await metric(daemon.url, 'mon_buffered_bytes')).toBeLessThan(150 * MIB);
});

describe('a closed connection', () => {
  const clock = new ManualClock();
  const start = async (): Promise<RunningBackend> =>
    await startBackend({
      clock,
      batcher: { batchLimit: 1 },
      settings: { 'agent-listener': { port: 0 }, 'buffer-limit': 64 },
    });
  const look = (times: number): void => {
    for (let second = 0; second < times; second++) clock.advance(1000);
  };

  test('the connection of a client that reads nothing for a minute is closed, but not that of a slow reader', async () => {
    await using backend = await start();
    await submitEvents(backend.url, 8, 900_000);
    const requests = getEvents.repeat(3);
    const buffered = async (): Promise<number> => await metric(backend.url, 'mon_buffered_bytes');
    const [deaf] = await openMany(1, backend.url, requests);
    await vi.waitFor(async () => expect(await buffered()).toBeGreaterThan(0.5 * MIB));
    const [reader] = await openMany(1, backend.url, requests);
    await vi.waitFor(async () => expect(await buffered()).toBeGreaterThan(MIB));
    look(30);
    reader?.socket.resume();
    await vi.waitFor(() => expect(reader?.received.length).toBeGreaterThan(18_000_000));
    look(35);
    expect(await metric(backend.url, 'mon_connections_dropped_total{reason="stalled"}')).toBe(1);
    expect(reader?.isClosedByServer).toBe(false);
    deaf?.socket.resume();
    await vi.waitFor(() => expect(deaf?.isClosedByServer).toBe(true));
    expect(backend.log.messages('warn')).toContain(
      'dropped a connection whose peer is too slow or sends incomplete requests',
    );
  });

  const unfinished = 'x'.repeat(15 * MIB);
  const frame = Buffer.concat([Buffer.from([0x81, 0xff]), Buffer.alloc(8), Buffer.alloc(4), Buffer.from(unfinished)]);
  frame.writeBigUInt64BE(BigInt(16 * MIB - 1), 2);
  const handshake = requestBytes({
    method: 'GET',
    target: AGENT_PATH,
    headers: {
      Connection: 'Upgrade',
      Upgrade: 'websocket',
      'Sec-WebSocket-Version': '13',
      'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
      'Sec-WebSocket-Protocol': AGENT_PROTOCOL,
    },
  });
  const batch = `POST /api/mon/v1/results HTTP/1.1\r\nHost: x\r\nContent-Length: ${String(16 * MIB)}\r\n\r\n`;

  test.each([
    { what: 'requests', begin: batch, hears: '', rest: Buffer.from(unfinished) },
    { what: 'frames', begin: handshake, hears: '101', rest: frame },
  ])(
    'connections are closed when the unfinished $what of all clients exceed the memory limit',
    { tags: 'slow' },
    async ({ begin, hears, rest }) => {
      await using backend = await start();
      const held = await Promise.all(Array.from({ length: 6 }, () => HeldSocket.open(backend.url, begin)));
      onTestFinished(() => held.forEach((one) => one.drop()));
      for (const one of held) {
        await one.waitForText(hears);
        one.socket.write(rest);
      }
      await vi.waitFor(async () => expect(await metric(backend.url, 'mon_buffered_bytes')).toBeGreaterThan(89 * MIB));
      look(1);
      expect(await metric(backend.url, 'mon_connections_dropped_total{reason="total_limit"}')).toBe(2);
      await vi.waitFor(() => expect(held.filter(({ isClosedByServer }) => isClosedByServer)).toHaveLength(2));
      expect(await metric(backend.url, 'mon_buffered_bytes')).toBeLessThan(64 * MIB);
    },
  );

  test('the connection of a TLS client that stops reading is closed as well', { tags: 'slow' }, async () => {
    const dir = await tempDir();
    const certificate = makeCertificate('localhost', { names: ['localhost'] });
    await using backend = await startBackend({ clock, settings: { tls: await writePair(dir, certificate) } });
    const shake = async (): Promise<TLSSocket> => {
      const socket = connect({
        port: Number(new URL(backend.url).port),
        host: '127.0.0.1',
        ca: certificate.cert,
        servername: 'localhost',
      });
      onTestFinished(() => void socket.destroy());
      await once(socket, 'secureConnect');
      return socket;
    };
    const asking = await shake();
    let page = '';
    asking.on('data', (data: Buffer) => (page += data.toString()));
    (await shake()).write(batch + unfinished);
    await vi.waitFor(() => {
      asking.write(requestBytes({ method: 'GET', target: '/metrics' }));
      const [bytes = 0] = [...page.matchAll(/^mon_buffered_bytes (\d+)$/gm)]
        .map(([, figure]) => Number(figure))
        .slice(-1);
      expect(bytes).toBeGreaterThan(14 * MIB);
    });
  });

  test('a completed request no longer counts toward the buffered bytes', async () => {
    await using backend = await start();
    const body = `[${' '.repeat(2 * MIB)}]`;
    const [held] = await openMany(
      1,
      backend.url,
      requestBytes({ method: 'POST', target: '/api/mon/v1/results', body }),
    );
    held?.socket.resume();
    await held?.waitForText('202');
    expect(await metric(backend.url, 'mon_buffered_bytes')).toBeLessThan(1000);
  });
});

test('a pipelined request starts only after the previous response was read, and not on a closed connection', async () => {
  await using backend = await startBackend();
  await submitEvents(backend.url, 8, 900_000);
  const open = async (source: string): Promise<HeldSocket | undefined> => {
    const body = JSON.stringify({ source, name: 'ahead', output: '' });
    const result = requestBytes({ method: 'POST', target: '/results', body });
    const [held] = await openMany(1, backend.url, getEvents + result);
    await vi.waitFor(async () => expect(await metric(backend.url, 'mon_buffered_bytes')).toBeGreaterThan(MIB / 2));
    return held;
  };
  const isStored = async (source: string): Promise<boolean> =>
    (await send(backend.url, { method: 'GET', target: `/results/${source}/ahead` })).status === 200;
  const reader = await open('reader');
  expect(await isStored('reader')).toBe(false);
  reader?.socket.resume();
  await vi.waitFor(async () => expect(await isStored('reader')).toBe(true));
  reader?.drop();
  await vi.waitFor(async () => expect(await metric(backend.url, 'mon_buffered_bytes')).toBeLessThan(1000));
  const gone = await open('gone');
  gone?.drop();
  await vi.waitFor(async () => expect(await metric(backend.url, 'mon_buffered_bytes')).toBeLessThan(1000));
  expect(await isStored('gone')).toBe(false);
});

test('a connection that pipelines too many requests is closed', async () => {
  await using backend = await startBackend();
  const [held] = await openMany(1, backend.url, requestBytes({ method: 'GET', target: '/results' }).repeat(2000));
  held?.socket.resume();
  await vi.waitFor(() => expect(held?.isClosedByServer).toBe(true));
});

test('a connection may pipeline up to a hundred requests', async () => {
  await using backend = await startBackend();
  const [held] = await openMany(1, backend.url, requestBytes({ method: 'GET', target: '/results' }).repeat(150));
  held?.socket.resume();
  await vi.waitFor(() => expect(held?.received.match(/HTTP\/1\.1 /g)).toHaveLength(150));
  expect(held?.received.match(/HTTP\/1\.1 200/g)).toHaveLength(100);
  expect(held?.received).toContain('send fewer at once');
});
