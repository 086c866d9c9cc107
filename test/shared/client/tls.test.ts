import { once } from 'node:events';
import { createServer as createPlainServer } from 'node:http';
import type { Server } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { writeFile } from 'node:fs/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ServerTls } from '../../../daemon/backend/tls/server-tls.ts';
import { createServer as createTlsServer } from '../../../daemon/backend/tls/tls-server.ts';
import { TlsTrustError } from '../../../shared/client/request.ts';
import { openApiClient } from '../../../shared/client/api-client.ts';
import { parseBackendAddress, addressWarning } from '../../../shared/client/backend-address.ts';
import { openFeed } from '../../../shared/client/feed-client.ts';
import { hoursFromNow, makeCertificate, type MadeCertificate } from '../../support/make-certificate.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { RecordedLog } from '../../support/recorded-log.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { writePair } from '../../support/tls-files.ts';

const authority = makeCertificate('authority', { isAuthority: true });
const other = makeCertificate('other', { isAuthority: true });
const NAMES = ['127.0.0.1'];
const good = makeCertificate('127.0.0.1', { issuer: authority, names: NAMES });

async function listening(server: Server, scheme: string): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `${scheme}://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
}

const startTlsServer = ({ cert, key }: MadeCertificate): Promise<string> =>
  listening(
    createServer({ cert, key }, (_request, response) => response.end('[]')),
    'https',
  );

async function trusting(...authorities: readonly MadeCertificate[]): Promise<Record<string, string>> {
  const file = join(await tempDir(), 'ca.pem');
  await writeFile(file, authorities.map(({ cert }) => cert).join(''));
  return { MON_TRUSTED_CA_FILE: file };
}

/** Returns the reason why a feed cannot connect, and checks that a request fails for the same reason. */
async function problemAt(backend: string, env: Record<string, string>): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  const feed = openFeed(
    { backend, env, topics: ['events'] },
    {
      onState: (state) => {
        if (state.kind === 'waiting') resolve(state.reason);
        if (state.kind === 'refused') resolve(state.message);
      },
      onRows: () => undefined,
      onStats: () => undefined,
    },
  );
  onTestFinished(() => feed.close());
  const asked = await openApiClient({ backend, env })
    .clients()
    .then(
      () => 'none',
      (error: unknown) => (error as Error).message,
    );
  expect(await promise).toBe(asked);
  return asked;
}

test('a backend with a certificate of a trusted authority is accepted', async () => {
  expect(
    await openApiClient({ backend: await startTlsServer(good), env: await trusting(authority) }).clients(),
  ).toEqual([]);
});

describe('TLS problems and their remedies', () => {
  test.each([
    {
      name: 'the certificate is self-signed',
      made: makeCertificate('127.0.0.1', { names: NAMES }),
      says: /its certificate is self-signed: set --trusted-ca-file to it/,
    },
    {
      name: 'the certificate authority is unknown',
      made: makeCertificate('127.0.0.1', { names: NAMES, issuer: other }),
      says: /issued by an unknown CA: .*--trusted-ca-file/,
    },
    {
      name: 'the certificate has expired',
      made: makeCertificate('127.0.0.1', {
        names: NAMES,
        issuer: authority,
        from: hoursFromNow(-3),
        until: hoursFromNow(-1),
      }),
      says: /has expired: have it renewed/,
    },
    {
      name: 'the certificate is not valid yet',
      made: makeCertificate('127.0.0.1', { names: NAMES, issuer: authority, from: hoursFromNow(1) }),
      says: /is not valid yet: check the clocks/,
    },
    {
      name: 'the certificate is for another name',
      made: makeCertificate('a.example.org', { names: ['a.example.org', '10.0.0.1'], issuer: authority }),
      says: /is not for 127\.0\.0\.1 but for a\.example\.org, 10\.0\.0\.1/,
    },
    {
      name: 'the certificate has only a CommonName, which is not checked any more',
      host: 'localhost',
      made: makeCertificate('localhost', { issuer: authority }),
      says: /CommonName localhost is not among its Subject Alternative Names \(there are none\).*issued again/,
    },
  ])('a certificate is rejected with a remedy: $name', async ({ made, says, host = '127.0.0.1' }) => {
    const backend = (await startTlsServer(made)).replace('127.0.0.1', host);
    const env = await trusting(authority);
    expect(await problemAt(backend, env)).toMatch(says);
    // The class `TlsTrustError` tells callers that a retry cannot help.
    await expect(openApiClient({ backend, env }).clients()).rejects.toBeInstanceOf(TlsTrustError);
  });

  test('a TLS connection to a port without TLS fails with an error that says so', async () => {
    const url = await listening(
      createPlainServer((_request, response) => response.end('[]')),
      'https',
    );
    expect(await problemAt(url, {})).toMatch(/the server does not use TLS: use http:\/\//);
  });

  test('a plain HTTP request to a port with TLS fails with an error that says so', async () => {
    const dir = await tempDir();
    const settings = await writePair(dir, good);
    const tls = new ServerTls(
      { tls: settings, section: 'tls.' },
      { clock: new ManualClock(Date.now()), log: new RecordedLog() },
    );
    const url = await listening(
      createTlsServer({}, (_request, response) => response.end(), tls),
      'http',
    );
    expect(await problemAt(url, {})).toBe(
      `cannot reach the backend at ${url}: it requires TLS: use ${url.replace('http', 'https')}`,
    );
  });
});

test('TLS verification can be turned off, and a warning says so', async () => {
  const backend = await startTlsServer(makeCertificate('somebody'));
  const env = { MON_INSECURE_SKIP_TLS_VERIFY: 'true' };
  expect(await openApiClient({ backend, env }).clients()).toEqual([]);
  expect(addressWarning(backend, env)).toMatch(/the certificate of https:.* is not verified/);
  expect(addressWarning(backend, {})).toBeUndefined();
});

test.each([
  {
    env: { MON_TRUSTED_CA_FILE: '/none.pem' },
    says: '/none.pem cannot be used as trusted-ca-file: there is no such file',
  },
  { env: { MON_INSECURE_SKIP_TLS_VERIFY: 'yes' }, says: 'MON_INSECURE_SKIP_TLS_VERIFY must be true or false' },
])('the invalid TLS setting is rejected: $says', ({ env, says }) => {
  expect(() => parseBackendAddress('https://mon.example.org', env)).toThrow(says);
  // For an address without TLS, the variables about TLS are ignored.
  expect(parseBackendAddress('http://mon.example.org', env).tls).toBeUndefined();
});
