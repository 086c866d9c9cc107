import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import type { Server } from 'node:http';
import { request } from 'node:https';
import { connect, type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { expect, onTestFinished, test, vi } from 'vitest';
import { ServerTls } from '../../../../daemon/backend/tls/server-tls.ts';
import { createServer } from '../../../../daemon/backend/tls/tls-server.ts';
import { hoursFromNow, makeCertificate } from '../../../support/make-certificate.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { RecordedLog } from '../../../support/recorded-log.ts';
import { tempDir } from '../../../support/temp-dir.ts';
import { writePair } from '../../../support/tls-files.ts';

const LOOK_MS = 10_000;
const DAY_MS = 86_400_000;
const authority = makeCertificate('authority', { isAuthority: true });
const localhost = () => makeCertificate('localhost', { issuer: authority, names: ['localhost'] });

async function aServer(certificate = localhost(), headersTimeout = 10_000) {
  const clock = new ManualClock(Date.now());
  const log = new RecordedLog();
  const dir = await tempDir();
  const settings = await writePair(dir, certificate);
  const tls = new ServerTls({ tls: settings, section: 'tls.' }, { clock, log });
  const server = createServer({ headersTimeout }, (_request, response) => response.end('hello'), tls);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    tls[Symbol.dispose]();
    server.close();
    server.closeAllConnections();
  });
  return { clock, log, dir, settings, server, tls, port: (server.address() as AddressInfo).port };
}

async function shake(port: number, options: object = {}): Promise<TLSSocket> {
  const socket = connectTls({ port, host: '127.0.0.1', servername: 'localhost', ca: authority.cert, ...options });
  onTestFinished(() => void socket.destroy());
  await once(socket, 'secureConnect');
  return socket;
}

const serialAt = async (port: number): Promise<string | undefined> =>
  (await shake(port)).getPeerX509Certificate()?.serialNumber;

/** Advances the clock to the next check of the certificate files, and waits for its effect. */
const checkFiles = async (clock: ManualClock, found: () => void): Promise<void> => {
  clock.advance(LOOK_MS);
  await vi.waitFor(found);
};

test('a replaced certificate applies to new connections, and existing connections stay open', async () => {
  const { clock, log, dir, port } = await aServer();
  const open = await shake(port);
  const before = open.getPeerX509Certificate()?.serialNumber;
  await writePair(dir, localhost());
  await checkFiles(clock, () => expect(log.records.at(-1)?.message).toBe('new certificate is now in use'));
  expect(await serialAt(port)).not.toBe(before);
  open.write('GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
  expect(await text(open)).toMatch(/^HTTP\/1\.1 200 OK[^]*hello/);
});

test.each([
  { name: 'a missing key', spoil: (files: Record<string, string>) => rm(files['key-file'] ?? '') },
  {
    name: 'a truncated certificate',
    spoil: (files: Record<string, string>) => writeFile(files['cert-file'] ?? '', localhost().cert.slice(0, 200)),
  },
  {
    name: 'a certificate of another key',
    spoil: (files: Record<string, string>) => writeFile(files['cert-file'] ?? '', localhost().cert),
  },
])('$name is rejected with one log record, and the previous certificate stays in use', async ({ spoil }) => {
  const { clock, log, dir, settings, port } = await aServer();
  const before = await serialAt(port);
  await spoil(settings);
  await checkFiles(clock, () =>
    expect(log.records.at(-1)).toMatchObject({
      level: 'error',
      message: 'new certificate is invalid: the previous certificate stays in use',
    }),
  );
  clock.advance(LOOK_MS);
  expect(await serialAt(port)).toBe(before);
  expect(log.records).toHaveLength(1);
  await writePair(dir, localhost());
  await checkFiles(clock, () => expect(log.records.at(-1)?.message).toBe('new certificate is now in use'));
});

test('a TLS certificate that will expire soon is logged each day', async () => {
  const until = hoursFromNow(20.5 * 24);
  const certificate = makeCertificate('localhost', { issuer: authority, names: ['localhost'], until });
  const { clock, log } = await aServer(certificate);
  const day = until.toISOString().slice(0, 10);
  clock.advance(6 * DAY_MS);
  expect(log.records).toEqual([]);
  clock.advance(2 * DAY_MS);
  expect(log.messages('warn').map((warning) => warning.replace(/^\S+cert\.pem /, ''))).toEqual([
    `expires on ${day}, in 13 days: renew it`,
    `expires on ${day}, in 12 days: renew it`,
  ]);
  clock.advance(13 * DAY_MS);
  expect(log.messages('warn').at(-1)).toMatch(`has expired on ${day} and is rejected: renew it`);
});

test('a client that supports only TLS 1.1 is rejected', async () => {
  const { port, tls } = await aServer();
  // The setting is tested as well, because the OpenSSL of this machine may reject TLS 1.1 by default.
  expect(tls.options.minVersion).toBe('TLSv1.2');
  const socket = connectTls({
    port,
    host: '127.0.0.1',
    ca: authority.cert,
    minVersion: 'TLSv1',
    maxVersion: 'TLSv1.1',
    ciphers: 'ALL@SECLEVEL=0',
  });
  await expect(once(socket, 'secureConnect')).rejects.toThrow(/protocol version|unsupported protocol/i);
  expect((await shake(port, { maxVersion: 'TLSv1.2' })).getProtocol()).toBe('TLSv1.2');
});

test('a plain HTTP request to a TLS port gets 426 and the hint to use https', async () => {
  const { port } = await aServer();
  const socket = connect(port, '127.0.0.1');
  socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 426 [^]*Upgrade: TLS\/1\.2[^]*this port requires TLS: use https:/);
});

test('a TLS request that arrives in many packets is served', async () => {
  const { server } = await aServer();
  const { promise, resolve } = Promise.withResolvers<string>();
  const asked = request(
    {
      port: (server.address() as AddressInfo).port,
      host: '127.0.0.1',
      servername: 'localhost',
      ca: authority.cert,
      method: 'POST',
    },
    (response) => void text(response).then(resolve),
  );
  asked.end('x'.repeat(100_000));
  expect(await promise).toBe('hello');
});

test.each([
  { name: 'nothing', first: '' },
  { name: 'half a handshake', first: '\x16\x03\x01' },
])('a TLS connection whose client sends $name is closed after a timeout', async ({ first }) => {
  const { port, server } = await aServer(localhost(), 200);
  const socket = connect(port, '127.0.0.1');
  if (first !== '') socket.write(first, 'latin1');
  socket.resume();
  await once(socket, 'close');
  expect(await connectionsOf(server)).toBe(0);
});

function connectionsOf(server: Server): Promise<number> {
  return new Promise((resolve) => server.getConnections((_error, count) => resolve(count)));
}
